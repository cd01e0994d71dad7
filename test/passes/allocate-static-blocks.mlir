// RUN: opt-tool %s -p allocate-static | filecheck %s

// A buffer that is used in a cycle of blocks and outside of it is live in the whole cycle, also where the cycle's other
// block comes after all uses in the text; one that is used in a single block is not.
// CHECK:      memref.global "private" @f_arena : memref<32xi8> = uninitialized
// CHECK:      %outside = memref.view {{.*}} {tilewright.lifetime = "1..12"}
// CHECK:      %inside = memref.view {{.*}} {tilewright.lifetime = "9..10"}
func.func @f(%c: i1, %x: i32, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %outside = memref.alloc() : memref<4xi32>
  memref.store %x, %outside[%c0] : memref<4xi32>
  cf.br ^head
^head:
  %v = memref.load %outside[%c0] : memref<4xi32>
  cf.cond_br %c, ^exit, ^body
^exit:
  memref.copy %outside, %out : memref<4xi32> to memref<4xi32>
  func.return
^body:
  %inside = memref.alloc() : memref<4xi32>
  memref.store %v, %inside[%c0] : memref<4xi32>
  %w = memref.load %inside[%c0] : memref<4xi32>
  memref.store %w, %outside[%c0] : memref<4xi32>
  cf.br ^head
}
