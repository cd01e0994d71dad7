// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/external.toml},place-addressed' | filecheck %s
// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/three_level.toml},place-addressed' | filecheck %s --check-prefix=SAME

// Weights that come tile by tile stay in the external level. Inputs, outputs, state, and constants of which the program
// itself takes elements lie before it, with what are views of them, as do the allocations of a function without
// kernels, of a loop, and those that a call takes. Where the program addresses the farthest level nothing changes.

// CHECK: memref.global {{.*}}@weights : memref<8x8xi8>
// CHECK: memref.global {{.*}}@table : memref<8xi8, "L2">
// CHECK: memref.global {{.*}}@state : memref<8xi8, "L2">
// CHECK: func.func @network(%x: memref<1x4x8xi8, "L2">, %y: memref<4x8xi32, "L2"> {tilewright.output})
// CHECK: memref.get_global @weights : memref<8x8xi8>
// CHECK: memref.collapse_shape %x {{.*}} : memref<1x4x8xi8, "L2"> into memref<4x8xi8, "L2">
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<8xi8, "L2">
// CHECK: memref.alloc() : memref<4x8xi8>
// CHECK: func.func @copies
// CHECK: %[[BOTH:.*]] = memref.alloc() : memref<16xi8, "L2">
// CHECK: memref.subview %[[BOTH]]{{.*}} : memref<16xi8, "L2"> to memref<8xi8, strided<[1]>, "L2">
// CHECK: func.func @steps
// CHECK: %[[FAR:.*]] = memref.alloc() : memref<8xi8>
// CHECK: %[[PASSED:.*]] = memref.alloc() : memref<2x4xi8, "L2">
// CHECK: scf.for
// CHECK: %[[INNER:.*]] = memref.alloc() : memref<8xi8, "L2">
// CHECK: func.call @copies(%{{.*}}) : (memref<8xi8, "L2">) -> ()
// CHECK: func.call @copies(%[[INNER]]) : (memref<8xi8, "L2">) -> ()
// SAME-NOT: "L2">
memref.global "private" constant @weights : memref<8x8xi8> = dense<1>
memref.global "private" constant @table : memref<8xi8> = dense<1>
memref.global "private" @state : memref<8xi8> = dense<0>
func.func @network(%x: memref<1x4x8xi8>, %y: memref<4x8xi32> {tilewright.output}) {
  %w = memref.get_global @weights : memref<8x8xi8>
  %t = memref.get_global @table : memref<8xi8>
  %s = memref.get_global @state : memref<8xi8>
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<1x4x8xi8> into memref<4x8xi8>
  nn.matmul ins(%rows, %w : memref<4x8xi8>, memref<8x8xi8>) outs(%y : memref<4x8xi32>) {accumulator = i32}
  %i = arith.constant 3 : index
  %v = memref.load %t[%i] : memref<8xi8>
  memref.store %v, %s[%i] : memref<8xi8>
  %between = memref.alloc() : memref<4x8xi8>
  linalg.add ins(%rows, %rows : memref<4x8xi8>, memref<4x8xi8>) outs(%between : memref<4x8xi8>)
  func.return
}
func.func @copies(%x: memref<8xi8>) {
  %both = memref.alloc() : memref<16xi8>
  %first = memref.subview %both[0] [8] [1] : memref<16xi8> to memref<8xi8, strided<[1]>>
  memref.copy %x, %first : memref<8xi8> to memref<8xi8, strided<[1]>>
  func.return
}
func.func @steps(%x: memref<8xi8>, %y: memref<8xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %far = memref.alloc() : memref<8xi8>
  linalg.add ins(%x, %x : memref<8xi8>, memref<8xi8>) outs(%far : memref<8xi8>)
  linalg.add ins(%far, %x : memref<8xi8>, memref<8xi8>) outs(%y : memref<8xi8>)
  %passed = memref.alloc() : memref<2x4xi8>
  %row = memref.collapse_shape %passed [[0, 1]] : memref<2x4xi8> into memref<8xi8>
  scf.for %i = %zero to %two step %one {
    %inner = memref.alloc() : memref<8xi8>
    func.call @copies(%row) : (memref<8xi8>) -> ()
    func.call @copies(%inner) : (memref<8xi8>) -> ()
  }
  func.return
}
