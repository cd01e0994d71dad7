// RUN: opt-tool %s --split-input-file --verify-diagnostics -p convert-to-emitc

func.func @passed(%c: i1, %a: memref<4xf32>, %b: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^join(%a : memref<4xf32>), ^join(%b : memref<4xf32>)
^join(%m: memref<4xf32>):
  // expected-error @+1 {{the argument of a block is a memref, which has no variable in C}}
  memref.store %x, %m[%c0] : memref<4xf32>
  func.return
}

// -----

func.func @asserted(%c: i1) {
  // expected-error @+1 {{'cf.assert' cannot be converted to C}}
  cf.assert %c, "holds"
  func.return
}
