// RUN: opt-tool %s --target gemmini -p attach-machine{target=gemmini},map-engines,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s

// CHECK-LABEL: func.func private @matmul_0
// CHECK:         gemmini.config_ex {step = 1 : i64}
// CHECK:         scf.for %n
// CHECK:         scf.for %k
// CHECK:         gemmini.preload %in1[%n, %{{.*}}, %{{.*}}] {k = 16 : i64, n = 16 : i64} : memref<{{.*}}x16xi8, "SPAD">
// CHECK-NEXT:    gemmini.compute_preloaded_add %in0[%k, {{.*}}], %out[%n, {{.*}}] {rows = {{[0-9]+}} : i64, k = 16 : i64, n = 16 : i64, step = 1 : i64}

// CHECK-LABEL: func.func private @read_tile
// CHECK:         gemmini.config_ld %far {stride = array<i64: 0, 1>, block = {{[0-9]+}} : i64, size = 1 : i64, id = 0 : i64} : memref<24x64xi8>
// CHECK:         gemmini.mvin_blocks {{.*}}blocks = 4 : i64

// CHECK:         gemmini.config_ld %far {block = {{[0-9]+}} : i64, size = 4 : i64, id = 2 : i64} : memref<1x32xi32>
// CHECK:         gemmini.mvin_acc {{.*}}repeats

// CHECK:         %[[S:.*]] = arith.constant {{.*}} : f32
// CHECK:         gemmini.config_st %far, %[[S]] {stride = array<i64: 0, 1>, size = 1 : i64, relu}
// CHECK:         gemmini.mvout

// CHECK-LABEL: func.func @network
// CHECK:         gemmini.fence
func.func @network(%a: memref<24x64xi8>, %b: memref<64x32xi8>, %bias: memref<32xi32>, %c: memref<24x32xi8>) {
  nn.matmul ins(%a, %b : memref<24x64xi8>, memref<64x32xi8>) outs(%c : memref<24x32xi8>) {accumulator = i32}
      epilogue(%bias : memref<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%sum: i32, %n: i32):
    %f = arith.constant 0.01 : f32
    %s = arith.addi %sum, %n : i32
    %t = quant.rescale %s, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  func.return
}
