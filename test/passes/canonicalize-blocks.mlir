// RUN: opt-tool %s -p canonicalize | filecheck %s
// RUN: opt-tool %s -p dce,canonicalize | filecheck %s

// A cycle of blocks that only branch is an infinite loop: it stays one.

// CHECK-LABEL: func.func @cycle
// CHECK-NEXT:    cf.br ^[[B:.*]]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    cf.br ^[[B]]
func.func @cycle() {
  %false = arith.constant false
  cf.cond_br %false, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  cf.br ^bb1
}

// CHECK-LABEL: func.func @cycle_of_three
// CHECK:         cf.cond_br %c, ^[[B:.*]](%x : i32), ^
// CHECK-NEXT:  ^[[B]](%[[V:.*]]: i32):
// CHECK-NEXT:    cf.br ^[[B]](%[[V]] : i32)
func.func @cycle_of_three(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^a(%x : i32), ^end
^a(%0: i32):
  cf.br ^b(%0 : i32)
^b(%1: i32):
  cf.br ^d(%1 : i32)
^d(%2: i32):
  cf.br ^a(%2 : i32)
^end:
  func.return %x : i32
}

// CHECK-LABEL: func.func @through_switch
// CHECK:         cf.switch
func.func @through_switch(%f: i32) {
  cf.switch %f : i32, [
    default: ^a,
    1: ^b,
    2: ^end
  ]
^a:
  cf.br ^b
^b:
  cf.br ^a
^end:
  func.return
}

// Chains end where they lead; what nothing reaches is gone, also where its values depend on themselves.

// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    func.return %x : i32
func.func @chain(%x: i32) -> i32 {
  cf.br ^a(%x : i32)
^a(%0: i32):
  cf.br ^b(%0 : i32)
^b(%1: i32):
  func.return %1 : i32
}

// CHECK-LABEL: func.func @unreachable
// CHECK-NEXT:    func.return %x : i32
// CHECK-NEXT:  }
func.func @unreachable(%x: i32) -> i32 {
  func.return %x : i32
^a(%s: i32):
  %c0 = arith.constant 0 : i32
  %t = arith.addi %u, %c0 : i32
  cf.br ^b
^b:
  %u = arith.addi %t, %c0 : i32
  cf.br ^a(%u : i32)
}

// A loop that becomes unreachable while it is rewritten.

// CHECK-LABEL: func.func @becomes_unreachable
// CHECK-NEXT:    func.return %x : i32
// CHECK-NEXT:  }
func.func @becomes_unreachable(%x: i32) -> i32 {
  %true = arith.constant true
  cf.cond_br %true, ^end, ^head(%x : i32)
^head(%s: i32):
  %c0 = arith.constant 0 : i32
  %t = arith.addi %s, %c0 : i32
  cf.br ^middle
^middle:
  %u = arith.addi %t, %c0 : i32
  cf.br ^latch
^latch:
  cf.br ^head(%u : i32)
^end:
  func.return %x : i32
}

// Both edges to one block: neither says what the condition is there.

// CHECK-LABEL: func.func @same_block
// CHECK-NEXT:    func.return %c : i1
func.func @same_block(%c: i1) -> i1 {
  cf.cond_br %c, ^a, ^a
^a:
  func.return %c : i1
}

// A folded subview must have the type of the op.

// CHECK-LABEL: func.func @subviews
// CHECK:         memref.subview %m[1, 1] [2, 2] [1, 1] : memref<4x4xi8>
// CHECK:         memref.subview %{{.*}}[0, 0] [2, 2] [1, 1] : memref<3x3xi8, strided<[4, 1], offset: ?>>
func.func @subviews(%m: memref<4x4xi8>) -> (memref<2x2xi8, strided<[4, 1], offset: 5>>, memref<2x2xi8, strided<[4, 1], offset: ?>>) {
  %0 = memref.subview %m[1, 1] [3, 3] [1, 1] : memref<4x4xi8> to memref<3x3xi8, strided<[4, 1], offset: 5>>
  %1 = memref.subview %0[0, 0] [2, 2] [1, 1] : memref<3x3xi8, strided<[4, 1], offset: 5>> to memref<2x2xi8, strided<[4, 1], offset: 5>>
  %2 = memref.subview %m[1, 1] [3, 3] [1, 1] : memref<4x4xi8> to memref<3x3xi8, strided<[4, 1], offset: ?>>
  %3 = memref.subview %2[0, 0] [2, 2] [1, 1] : memref<3x3xi8, strided<[4, 1], offset: ?>> to memref<2x2xi8, strided<[4, 1], offset: ?>>
  func.return %1, %3 : memref<2x2xi8, strided<[4, 1], offset: 5>>, memref<2x2xi8, strided<[4, 1], offset: ?>>
}
