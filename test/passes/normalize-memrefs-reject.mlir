// RUN: opt-tool %s --verify-diagnostics -p normalize-memrefs

func.func @network(%a: memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>>, %b: memref<4x8xi8>) {
  // expected-error@+1 {{'memref.copy' has an operand in a layout, which cannot be lowered}}
  memref.copy %a, %b : memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>> to memref<4x8xi8>
  func.return
}
