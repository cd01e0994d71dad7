// RUN: opt-tool %s --target gemmini/os -p attach-machine{target=gemmini/os},map-engines,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s
// RUN: opt-tool %s --target gemmini/fp32-os -p attach-machine{target=gemmini/fp32-os},map-engines,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s --check-prefix=FLOATS

// Sums of bytes leave the array after each block of the reduction, whose outputs have 20 bits.
// CHECK-LABEL: func.func private @matmul_0
// CHECK:         gemmini.config_os {step = 1 : i64}
// CHECK:         scf.for %n
// CHECK:         scf.for %k
// CHECK:         gemmini.multiply_add %in0[%k, {{.*}}], %in1[%n, {{.*}}], %out[%n, {{.*}}] {rows = {{[0-9]+}} : i64, k = 16 : i64, n = 16 : i64, first, step = 1 : i64}
// CHECK-NOT:     gemmini.preload
// FLOATS-NOT:    gemmini.config_os
func.func @bytes(%a: memref<24x64xi8>, %b: memref<64x32xi8>, %c: memref<24x32xi32>) {
  nn.matmul ins(%a, %b : memref<24x64xi8>, memref<64x32xi8>) outs(%c : memref<24x32xi32>) {accumulator = i32}
  func.return
}

// Sums of floats stay in the cells for up to four blocks.
// FLOATS-LABEL: func.func private @matmul_1
// FLOATS:         gemmini.config_os {step = 1 : i64}
// FLOATS:         gemmini.multiply_keep {{.*}} first, step = 1 : i64}
// FLOATS-NEXT:    gemmini.multiply {{.*}} step = 1 : i64}
func.func @floats(%a: memref<24x8xf32>, %b: memref<8x32xf32>, %c: memref<24x32xf32>) {
  nn.matmul ins(%a, %b : memref<24x8xf32>, memref<8x32xf32>) outs(%c : memref<24x32xf32>) {accumulator = f32}
  func.return
}
