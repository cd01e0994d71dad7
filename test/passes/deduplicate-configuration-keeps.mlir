// RUN: opt-tool %s --target gemmini -p deduplicate-configuration | filecheck %s

// One call of two finds another step; the loop ends with another than it begins with; a branch may change it.
// CHECK-LABEL: func.func private @product
// CHECK-NEXT:    gemmini.config_ex {step = 1 : i64}
func.func private @product() {
  gemmini.config_ex {step = 1 : i64}
  func.return
}

// CHECK-LABEL: func.func @network
// CHECK:         scf.for
// CHECK-NEXT:      gemmini.config_ex {step = 1 : i64}
// CHECK-NEXT:      func.call @product
// CHECK-NEXT:      gemmini.config_ex {step = 2 : i64}
// CHECK:         func.call @product
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      gemmini.config_ex {step = 3 : i64}
// CHECK-NEXT:    }
// CHECK-NEXT:    gemmini.config_ex {step = 1 : i64}
func.func @network(%is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gemmini.config_ex {step = 1 : i64}
  scf.for %i = %c0 to %c4 step %c1 {
    gemmini.config_ex {step = 1 : i64}
    func.call @product() : () -> ()
    gemmini.config_ex {step = 2 : i64}
  }
  func.call @product() : () -> ()
  scf.if %is {
    gemmini.config_ex {step = 3 : i64}
  }
  gemmini.config_ex {step = 1 : i64}
  gemmini.fence
  func.return
}

// Starting the device sets its registers too; products and convolutions by loops share some.
// CHECK-LABEL: func.func @shared
// CHECK:         gemmini.config_loop %
// CHECK-NEXT:    gemmini.config_loop_conv
// CHECK-NEXT:    gemmini.config_loop %
// CHECK-NEXT:    gemmini.begin_loops
// CHECK-NEXT:    gemmini.config_loop %
func.func @shared(%a: memref<16x16xi8>, %x: memref<8x8x16xi8>, %w: memref<1x1x16x16xi8>) {
  %s = arith.constant 0.5 : f32
  gemmini.config_loop %a, %a, %a, %s {a_stride = array<i64: 0, 1>, b_stride = array<i64: 0, 1>, c_stride = array<i64: 0, 1>} : memref<16x16xi8>, memref<16x16xi8>, memref<16x16xi8>
  gemmini.config_loop_conv %x, %w, %x, %s {x_row = array<i64: 0, 1>, x_pixel = array<i64: 1, 1>, w_row = array<i64: 0, 1>, w_tap = array<i64: 1, 1>, w_channel = array<i64: 2, 1>, y_row = array<i64: 0, 1>, y_pixel = array<i64: 1, 1>, step = 1 : i64, dilation = 1 : i64} : memref<8x8x16xi8>, memref<1x1x16x16xi8>, memref<8x8x16xi8>
  gemmini.config_loop %a, %a, %a, %s {a_stride = array<i64: 0, 1>, b_stride = array<i64: 0, 1>, c_stride = array<i64: 0, 1>} : memref<16x16xi8>, memref<16x16xi8>, memref<16x16xi8>
  gemmini.begin_loops {dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64, size = 1 : i64}
  gemmini.config_loop %a, %a, %a, %s {a_stride = array<i64: 0, 1>, b_stride = array<i64: 0, 1>, c_stride = array<i64: 0, 1>} : memref<16x16xi8>, memref<16x16xi8>, memref<16x16xi8>
  gemmini.fence
  func.return
}
