// RUN: opt-tool %s --target gemmini/loops -p attach-machine{target=gemmini/loops},map-engines,unfuse-epilogues,permute-operands,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s

// Tiles are in halves of the memories, with the whole reduction.
// CHECK-LABEL: func.func private @matmul_0
// CHECK:         gemmini.begin_loops {dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64, size = 1 : i64}
// CHECK:         gemmini.config_loop %in0, %in1, %out, %{{.*}} {a_stride = array<i64: 0, 1>, b_stride = array<i64: 0, 1>, c_stride = array<i64: 0, 1>, relu}
// CHECK:         scf.for %t
// CHECK:         gemmini.loop_ws_bias %in0[{{.*}}], %in1[{{.*}}], %in2[{{.*}}], %out[{{.*}}] {rows = {{[0-9]+}} : i64, cols = {{[0-9]+}} : i64, depth = 64 : i64, dim = 16 : i64
// CHECK:         gemmini.fence

// What a loop does not compute of an epilogue is a kernel of the core.
// CHECK-LABEL: func.func private @matmul_1
// CHECK:         gemmini.loop_ws %
// CHECK-LABEL: func.func @network
// CHECK:         call @matmul_0
// CHECK:         call @matmul_1
// CHECK-NEXT:    call @elementwise_0
func.func @network(%a: memref<240x64xi8>, %b: memref<64x320xi8>, %bias: memref<320xi32>, %c: memref<240x320xi8>, %e: memref<240x320xi8>, %f: memref<240x320xi8>) {
  nn.matmul ins(%a, %b : memref<240x64xi8>, memref<64x320xi8>) outs(%c : memref<240x320xi8>) {accumulator = i32}
      epilogue(%bias : memref<320xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%sum: i32, %n: i32):
    %s = arith.addi %sum, %n : i32
    %k = arith.constant 0.01 : f32
    %t = quant.rescale %s, %k zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  nn.matmul ins(%a, %b : memref<240x64xi8>, memref<64x320xi8>) outs(%e : memref<240x320xi8>) {accumulator = i32}
      epilogue(%f : memref<240x320xi8>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %n: i8):
    %k = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %k zero 0 clip -128 to 127 : i32, f32 -> i8
    %u = arith.xori %t, %n : i8
    linalg.yield %u : i8
  }
  func.return
}
