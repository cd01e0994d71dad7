// RUN: opt-tool %s -p convert-index-to-arith | filecheck %s

// Ops of other dialects stay as they are.

// CHECK:      %s = arith.addi %a, %b overflow<nsw> : index
// CHECK-NEXT: %m = affine.max affine_map<(d0) -> (d0, 3)>(%s)
func.func @network(%a: index, %b: index) -> index {
  %s = arith.addi %a, %b overflow<nsw> : index
  %m = affine.max affine_map<(d0) -> (d0, 3)>(%s)
  func.return %m : index
}
