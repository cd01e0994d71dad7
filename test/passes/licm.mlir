// RUN: opt-tool %s -p licm --interpret-each | filecheck %s

// What may be undefined stays in a loop that may not run: divisions, accesses beyond a tensor, loops without end.

// CHECK-LABEL: func.func @network
// CHECK:         arith.floordivsi %x, %c3
// CHECK-NEXT:    tensor.extract %t[%c1]
// CHECK-NEXT:    tensor.extract_slice %t[2] [2] [1]
// CHECK-NEXT:    scf.for
// CHECK:           arith.floordivsi %x, %z
// CHECK:           arith.ceildivsi %x, %z
// CHECK:           arith.remsi %x, %z
// CHECK:           tensor.extract %t[%c9]
// CHECK:           tensor.extract_slice %t[3] [2] [1]
// CHECK:           scf.for
func.func @network(%x: i32, %t: tensor<4xi32>, %k: index) -> i32 {
  %z = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c9 to %c1 step %c1 iter_args(%a = %x) -> (i32) {
    %0 = arith.floordivsi %x, %c3 : i32
    %1 = tensor.extract %t[%c1] : tensor<4xi32>
    %2 = tensor.extract_slice %t[2] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %3 = arith.floordivsi %x, %z : i32
    %4 = arith.ceildivsi %x, %z : i32
    %5 = arith.remsi %x, %z : i32
    %6 = tensor.extract %t[%c9] : tensor<4xi32>
    %7 = tensor.extract_slice %t[3] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %9 = scf.for %j = %c1 to %c9 step %k iter_args(%b = %x) -> (i32) {
      scf.yield %b : i32
    }
    scf.yield %9 : i32
  }
  func.return %r : i32
}

// A cast may claim a size that the tensor has not.

// CHECK-LABEL: func.func @casts
// CHECK:         tensor.cast %t : tensor<4xi32> to tensor<?xi32>
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      tensor.cast %u : tensor<?xi32> to tensor<4xi32>
func.func @casts(%t: tensor<4xi32>, %u: tensor<?xi32>, %k: index) {
  scf.for %i = %k to %k step %k {
    %0 = tensor.cast %u : tensor<?xi32> to tensor<4xi32>
    %1 = tensor.cast %t : tensor<4xi32> to tensor<?xi32>
  }
  func.return
}
