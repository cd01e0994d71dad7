// RUN: opt-tool %s -p scf-forall-to-for --interpret-each --interpret-function=shared | filecheck %s

// A shared output is carried; what an iteration reads of it is what it was before the loop.
// CHECK-LABEL: func.func @shared
// CHECK:      %r = scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OUTER:.*]] = %b) -> (tensor<8xi32>) {
// CHECK-NEXT:   %{{.*}} = scf.for %j = %{{.*}} to %n step %{{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (tensor<8xi32>) {
// CHECK:          %old = tensor.extract_slice %b[%at] [2] [1]
// CHECK:          %[[NEXT:.*]] = tensor.insert_slice %t into %[[INNER]][%at] [2] [1] : tensor<2xi32> into tensor<8xi32>
// CHECK-NEXT:     scf.yield %[[NEXT]] : tensor<8xi32>
func.func @shared(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %n = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %r = scf.forall (%i, %j) = (0, 0) to (2, %n) step (1, 1) shared_outs(%o = %b) -> (tensor<8xi32>) {
    %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1 * 2)>(%i, %j)
    %part = tensor.extract_slice %a[%at] [2] [1] : tensor<8xi32> to tensor<2xi32>
    %old = tensor.extract_slice %o[%at] [2] [1] : tensor<8xi32> to tensor<2xi32>
    %x = tensor.extract %old[%c0] : tensor<2xi32>
    %t = tensor.insert %x into %part[%c0] : tensor<2xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%at] [2] [1] : tensor<2xi32> into tensor<8xi32>
    }
  }
  func.return %r : tensor<8xi32>
}

// CHECK-LABEL: func.func @buffers
// CHECK:      scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:   memref.store %x, %m[%i] : memref<8xf32>
// CHECK-NEXT: }
func.func @buffers(%m: memref<8xf32>, %x: f32) {
  scf.forall (%i) = (1) to (8) step (3) {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  func.return
}
