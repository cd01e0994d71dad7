// RUN: opt-tool %s -p bufferize | filecheck %s

// Elements that a loop puts into a tensor go into the one memory that it has; the argument is not changed.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %x: memref<4xf32>, %i: memref<3xi64>, %u: memref<3xf32>, %0: memref<4xf32> {tilewright.output}
// CHECK:         memref.copy %x, %0
// CHECK:         scf.for %k
// CHECK-NEXT:      memref.load %i[%k]
// CHECK-NEXT:      arith.index_cast
// CHECK-NEXT:      memref.load %u[%k]
// CHECK-NEXT:      memref.store %{{.*}}, %0[%
// CHECK-NOT:     memref.copy
func.func @scatter(%x: tensor<4xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %y = scf.for %k = %zero to %three step %one iter_args(%t = %x) -> (tensor<4xf32>) {
    %j = tensor.extract %i[%k] : tensor<3xi64>
    %at = arith.index_cast %j : i64 to index
    %new = tensor.extract %u[%k] : tensor<3xf32>
    %next = tensor.insert %new into %t[%at] : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// What is needed after the change is copied before it.
// CHECK-LABEL: func.func @kept
// CHECK:         scf.for
// CHECK:           %[[OLD:.*]] = memref.alloc() : memref<2xf32>
// CHECK:           memref.copy %[[T:.*]], %[[OLD]]
// CHECK:           memref.store %{{.*}}, %[[OLD]]
// CHECK:           linalg.generic {{.*}} ins(%[[T]], %[[OLD]] : {{.*}}) outs(%[[T]] :
// CHECK-NOT:       memref.copy
// CHECK:         }
func.func @kept(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %number = arith.constant 2.0 : f32
  %y = scf.for %k = %zero to %three step %one iter_args(%t = %x) -> (tensor<2xf32>) {
    %changed = tensor.insert %number into %t[%one] : tensor<2xf32>
    %e = tensor.empty() : tensor<2xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t, %changed : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    scf.yield %sum : tensor<2xf32>
  }
  func.return %y : tensor<2xf32>
}

// Tensors that change places meet in memory of their own.
// CHECK-LABEL: func.func @swapped
// CHECK:         scf.for
// CHECK-NEXT:      %[[A:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT:      memref.copy %[[Y:.*]], %[[A]]
// CHECK-NEXT:      %[[B:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT:      memref.copy %[[X:.*]], %[[B]]
// CHECK-NEXT:      memref.copy %[[A]], %[[X]]
// CHECK-NEXT:      memref.copy %[[B]], %[[Y]]
func.func @swapped(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %a, %b = scf.for %k = %zero to %three step %one iter_args(%s = %x, %t = %y) -> (tensor<2xf32>, tensor<2xf32>) {
    scf.yield %t, %s : tensor<2xf32>, tensor<2xf32>
  }
  func.return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// A kernel reads elements of a table, and scalars, from where they lie.
// CHECK-LABEL: func.func @table
// CHECK:         linalg.generic {{.*}} ins(%i : memref<3xindex>)
// CHECK:           memref.load %t[%{{.*}}] : memref<5xf32>
func.func @table(%t: tensor<5xf32>, %i: tensor<3xindex>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<3xindex>) outs(%e : tensor<3xf32>) {
  ^bb0(%at: index, %old: f32):
    %v = tensor.extract %t[%at] : tensor<5xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
