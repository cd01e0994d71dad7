// RUN: opt-tool %s -p convert-to-emitc | filecheck %s
// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s --check-prefix=C

// Conditions that read memory or compare floats are computed in any case; a function of libm only where it decides.

// CHECK-LABEL: emitc.func @floats
// CHECK:         emitc.bitwise_and %{{.*}}, %{{.*}} : (i1, i1) -> i1
// CHECK:         emitc.bitwise_or %{{.*}}, %{{.*}} : (i1, i1) -> i1
// C: return ((a > b) & (b > c)) | (c > a);
func.func @floats(%a: f32, %b: f32, %c: f32) -> i1 {
  %0 = arith.cmpf ogt, %a, %b : f32
  %1 = arith.cmpf ogt, %b, %c : f32
  %2 = arith.cmpf ogt, %c, %a : f32
  %3 = arith.andi %0, %1 : i1
  %4 = arith.ori %3, %2 : i1
  func.return %4 : i1
}

// CHECK-LABEL: emitc.func @memory
// CHECK:         emitc.bitwise_and
func.func @memory(%a: memref<4xi1>, %b: memref<4xi1>, %i: index) -> i1 {
  %0 = memref.load %a[%i] : memref<4xi1>
  %1 = memref.load %b[%i] : memref<4xi1>
  %2 = arith.andi %0, %1 : i1
  func.return %2 : i1
}

// CHECK-LABEL: emitc.func @indices
// CHECK:         emitc.logical_and
func.func @indices(%a: index, %b: index) -> i1 {
  %0 = arith.cmpi slt, %a, %b : index
  %zero = arith.constant 0 : index
  %1 = arith.cmpi sge, %a, %zero : index
  %2 = arith.andi %0, %1 : i1
  func.return %2 : i1
}

// CHECK-LABEL: emitc.func @libm
// CHECK:         emitc.logical_and
func.func @libm(%a: f32, %b: f32) -> i1 {
  %0 = arith.cmpf ogt, %a, %b : f32
  %1 = math.sin %a : f32
  %2 = arith.cmpf ogt, %1, %b : f32
  %3 = arith.andi %0, %2 : i1
  func.return %3 : i1
}
