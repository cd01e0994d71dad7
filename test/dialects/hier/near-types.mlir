// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// Tiles that are stored as another type, in blocks, and broadcast; the body of the way out.
// CHECK-LABEL: func.func @network
func.func @network(%a: memref<32x64xi8>, %bias: memref<1x64xi32>, %c: memref<32x16xi8>) {
  // CHECK: hier.grid (%i) in [2]
  // CHECK-NEXT: ins(%ta = %a[%i * 16, 0] [16, 64] in "SPAD" layout affine_map<(d0, d1) -> ((d1 floordiv 16), d0, (d1 mod 16))> stages 2 : memref<32x64xi8>,
  // CHECK-NEXT: %tb = %bias[0, 0] [16, 16] starts 0 broadcast [0] : memref<1x64xi32>)
  // CHECK-NEXT: outs(%tc = %c[%i * 16, 0] [16, 16] in "ACC" as i32 : memref<32x16xi8> (%v: i32) {
  // CHECK-NEXT:   %w = arith.trunci %v : i32 to i8
  // CHECK-NEXT:   hier.yield %w : i8
  // CHECK-NEXT: }) {
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 16, 0] [16, 64] in "SPAD" layout affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)> stages 2 : memref<32x64xi8>,
          %tb = %bias[0, 0] [16, 16] starts 0 broadcast [0] : memref<1x64xi32>)
      outs(%tc = %c[%i * 16, 0] [16, 16] in "ACC" as i32 : memref<32x16xi8> (%v: i32) {
        %w = arith.trunci %v : i32 to i8
        hier.yield %w : i8
      }) {
    hier.yield
  }
  func.return
}

// CHECK-LABEL: func.func @explicit
func.func @explicit(%bias: memref<1x64xi32>, %acc: memref<16x16xi32, "ACC">, %c: memref<64x64xi8>, %i: index) {
  // CHECK: hier.dma_start %bias[%i, %i] to %acc broadcast [0] : memref<1x64xi32>, memref<16x16xi32, "ACC">
  %t = hier.dma_start %bias[%i, %i] to %acc broadcast [0] : memref<1x64xi32>, memref<16x16xi32, "ACC">
  // CHECK: hier.dma_start %c[%i, %i] from %acc : memref<64x64xi8>, memref<16x16xi32, "ACC"> (%v: i32) {
  // CHECK-NEXT: %w = arith.trunci %v : i32 to i8
  // CHECK-NEXT: hier.yield %w : i8
  // CHECK-NEXT: }
  %u = hier.dma_start %c[%i, %i] from %acc : memref<64x64xi8>, memref<16x16xi32, "ACC"> (%v: i32) {
    %w = arith.trunci %v : i32 to i8
    hier.yield %w : i8
  }
  func.return
}
