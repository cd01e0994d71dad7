// RUN: opt-tool %s -p bufferize | filecheck %s

// A branch computes in the memory of the result; what was there before is copied.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %x: memref<4xf32>, %c: memref<i1>, %0: memref<4xf32> {tilewright.output}
// CHECK:         %[[C:.*]] = memref.load %c[]
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      linalg.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.copy %x, %0
// CHECK-NEXT:    }
func.func @branches(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %t = tensor.extract %c[] : tensor<i1>
  %y = scf.if %t -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// A loop that ends where data say so carries its tensor in one memory, its scalars as they are.
// CHECK-LABEL: func.func @until(
// CHECK:         memref.copy %x, %0
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i1) -> i1 {
// CHECK:           scf.condition
// CHECK:         } do {
// CHECK:           memref.store %{{.*}}, %0[%
// CHECK-NOT:       memref.copy
// CHECK:           scf.yield
func.func @until(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %true = arith.constant true
  %limit = arith.constant 2.0 : f32
  %g, %y = scf.while (%a = %true, %t = %x) : (i1, tensor<4xf32>) -> (i1, tensor<4xf32>) {
    scf.condition(%a) %a, %t : i1, tensor<4xf32>
  } do {
  ^bb0(%a: i1, %t: tensor<4xf32>):
    %v = tensor.extract %t[%zero] : tensor<4xf32>
    %w = arith.mulf %v, %v : f32
    %n = tensor.insert %w into %t[%zero] : tensor<4xf32>
    %again = arith.cmpf olt, %w, %limit : f32
    scf.yield %again, %n : i1, tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// The variable of a loop has the type of its bounds, and a branch may be missing.
// CHECK-LABEL: func.func @counted(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i16 {
// CHECK:           scf.if %{{.*}} {
// CHECK-NOT:       else
func.func @counted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %low = arith.constant -2 : i16
  %high = arith.constant 3 : i16
  %step = arith.constant 2 : i16
  %test = arith.constant false
  %y = scf.for %i = %low to %high step %step iter_args(%t = %x) -> (tensor<4xf32>) : i16 {
    scf.if %test {
      %z = arith.addi %i, %i : i16
    }
    %f = arith.sitofp %i : i16 to f32
    %n = tensor.insert %f into %t[%zero] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// Tensors of scalars are filled, or stored element by element.
// CHECK-LABEL: func.func @scalars(
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[SPLAT:.*]] : memref<2xf32>)
// CHECK:         memref.store %{{.*}}, %[[GATHERED:.*]][%{{.*}}] : memref<2xf32>
// CHECK:         memref.store %{{.*}}, %[[GATHERED]][%{{.*}}] : memref<2xf32>
func.func @scalars(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %v = tensor.extract %x[%zero] : tensor<2xf32>
  %w = arith.mulf %v, %v : f32
  %s = tensor.splat %v : tensor<2xf32>
  %g = tensor.from_elements %v, %w : tensor<2xf32>
  func.return %s, %g : tensor<2xf32>, tensor<2xf32>
}
