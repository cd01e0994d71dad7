// RUN: opt-tool %s -p attach-machine{target=gemmini/fp32},map-engines | filecheck %s

// An array takes blocks of rows, as which plan-memory tiles the operands of a function's outermost block. A kernel of a
// loop works on whole buffers, whatever its cost; one whose operands are in blocks already is on the array.

#blocks = affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))>
func.func @network(%x: memref<64x64xf32>, %w: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>,
                   %a: memref<4x4xf32, #blocks, "SPAD">, %b: memref<4x4xf32, #blocks, "ACC">) {
  // CHECK: nn.matmul {{.*}} engine = "array", refusals = {core = "{{.*}} cycles here, {{.*}} on 'array'"}}
  nn.matmul ins(%x, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>) {accumulator = f32}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    // CHECK: nn.matmul {{.*}} engine = "core", refusals = {array = "it takes blocks of rows, as which no plan tiles {{.*}}"}}
    nn.matmul ins(%x, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>) {accumulator = f32}
    // CHECK: nn.matmul {{.*}} engine = "array"
    nn.matmul ins(%a, %a : memref<4x4xf32, #blocks, "SPAD">, memref<4x4xf32, #blocks, "SPAD">)
      outs(%b : memref<4x4xf32, #blocks, "ACC">) {accumulator = f32}
  }
  func.return
}
