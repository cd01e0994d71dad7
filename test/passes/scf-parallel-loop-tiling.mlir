// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,3}' --interpret-each | filecheck %s
// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=0,2}' --interpret-each -o /dev/null
// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=3}' --interpret-each --seed 3 -o /dev/null
// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=2,2},lower-affine,canonicalize' --interpret-each -o /dev/null

// Steps other than 1, lower bounds other than 0, partial tiles, no iterations: each element is counted once.

// CHECK-LABEL: func.func @network
// CHECK:         %[[E:.*]] = arith.muli %c2, %{{.*}} : index
// CHECK:         %[[F:.*]] = arith.muli %c1, %{{.*}} : index
// CHECK:         scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c1, %c0) to (%c10, %c7) step (%[[E]], %[[F]])
// CHECK-NEXT:      %[[H:.*]] = affine.min affine_map<(d0, d1, d2) -> (d0, (d1 + (d2 * -1)))>(%[[E]], %c10, %[[I]])
// CHECK-NEXT:      %[[W:.*]] = affine.min {{.*}}(%[[F]], %c7, %[[J]])
// CHECK-NEXT:      scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%[[H]], %[[W]]) step (%c2, %c1)
func.func @network(%m: memref<10x7xi32> {tilewright.output}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c7 = arith.constant 7 : index
  %o = arith.constant 1 : i32
  scf.parallel (%i, %j) = (%c1, %c0) to (%c10, %c7) step (%c2, %c1) {
    %v = memref.load %m[%i, %j] : memref<10x7xi32>
    %w = arith.addi %v, %o : i32
    memref.store %w, %m[%i, %j] : memref<10x7xi32>
    scf.reduce
  }
  %low = arith.minsi %n, %c7 : index
  scf.parallel (%i, %j) = (%low, %c2) to (%c2, %c7) step (%c1, %c2) {
    %p = arith.maxsi %i, %c0 : index
    %v = memref.load %m[%p, %j] : memref<10x7xi32>
    memref.store %v, %m[%p, %j] : memref<10x7xi32>
    scf.reduce
  }
  return
}

// All tiles are whole: 35 iterations in tiles of 5 and 7.

// CHECK-LABEL: func.func @whole
// CHECK-NOT:     affine.min
// CHECK:         return
func.func @whole(%m: memref<40xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c35 = arith.constant 35 : index
  scf.parallel (%i) = (%c1) to (%c35) step (%c3) {
    %v = arith.constant 1 : i32
    memref.store %v, %m[%i] : memref<40xi32>
    scf.reduce
  }
  return
}
