// RUN: opt-tool %s | opt-tool - | filecheck %s
// RUN: opt-tool %s -p sccp,canonicalize | filecheck %s --check-prefix=FOLDED

// CHECK:      func.func @network(%n: i8) -> (index, i16) {
// CHECK-NEXT:   %i = arith.index_castui %n : i8 to index
// CHECK-NEXT:   %m = arith.index_castui %i : index to i16
// CHECK:      func.func @constant
// FOLDED:     func.func @constant() -> index {
// FOLDED-NEXT:  %{{.*}} = arith.constant 255 : index
func.func @network(%n: i8) -> (index, i16) {
  %i = arith.index_castui %n : i8 to index
  %m = arith.index_castui %i : index to i16
  func.return %i, %m : index, i16
}
func.func @constant() -> index {
  %n = arith.constant -1 : i8
  %i = arith.index_castui %n : i8 to index
  func.return %i : index
}
