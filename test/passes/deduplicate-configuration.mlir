// RUN: opt-tool %s --target gemmini -p deduplicate-configuration | filecheck %s

// The function is called with its setting in place, and the loop goes on with it.
// CHECK-LABEL: func.func private @product
// CHECK-NEXT:    func.return
func.func private @product() {
  gemmini.config_ex {step = 1 : i64}
  func.return
}

// CHECK-LABEL: func.func @network
// CHECK:         gemmini.config_ex {step = 1 : i64}
// CHECK-NOT:     gemmini.config_ex
// CHECK:         gemmini.fence
func.func @network() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gemmini.config_ex {step = 1 : i64}
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @product() : () -> ()
    gemmini.config_ex {step = 1 : i64}
  }
  func.call @product() : () -> ()
  gemmini.fence
  func.return
}
