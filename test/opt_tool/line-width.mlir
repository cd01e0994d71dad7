// RUN: opt-tool %s --line-width=60 | filecheck %s
// RUN: opt-tool %s --line-width=60 | opt-tool --line-width=0 > %t.once
// RUN: opt-tool %s --line-width=0 > %t.direct
// RUN: diff %t.once %t.direct
// RUN: filecheck %s --check-prefix=WHOLE --input-file %t.direct

// Long lines break between an op's outermost parts first, never within a string.

// CHECK:      {{^}}  func.func @f(%a: memref<2x3xi8>, %b: memref<2x3xi8>)
// CHECK-NEXT: {{^}}      attributes {test.note =
// CHECK-NEXT: {{^}}        "one, two, three, four, five, six, seven, eight",
// CHECK-NEXT: {{^}}        test.more = [1 : i64, 2 : i64]} {
// CHECK-NEXT: {{^}}    memref.copy %a, %b : memref<2x3xi8> to memref<2x3xi8>
// WHOLE: func.func @f(%a: memref<2x3xi8>, %b: memref<2x3xi8>) attributes {test.note = "one, two, three, four, five, six, seven, eight", test.more = [1 : i64, 2 : i64]} {
func.func @f(%a: memref<2x3xi8>, %b: memref<2x3xi8>) attributes {test.note = "one, two, three, four, five, six, seven, eight", test.more = [1, 2]} {
  memref.copy %a, %b : memref<2x3xi8> to memref<2x3xi8>
  func.return
}
