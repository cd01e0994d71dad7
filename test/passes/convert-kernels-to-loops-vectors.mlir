// RUN: opt-tool %s -p 'convert-kernels-to-loops{vectors=true}' | filecheck %s

// Of 40 elements, twice 16 and then 8 go into partial results, which are folded by halves.

// CHECK-LABEL: func.func @sum
// CHECK:         %[[P:.*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           memref.store %{{.*}}, %[[P]][%{{.*}}]
// CHECK:           scf.for %[[S:.*]] =
// CHECK:             scf.for %[[L:.*]] =
// CHECK:               %[[OLD:.*]] = memref.load %[[P]][%[[L]]]
// CHECK:               arith.addf
// CHECK:             } {tilewright.independent}
// CHECK:           memref.load %x[%[[ROW]], %{{.*}}]
// CHECK:           memref.load %[[P]][%{{.*}}]
// CHECK:           memref.store %{{.*}}, %o[%[[ROW]]]
func.func @sum(%x: memref<4x40xf32>, %o: memref<4xf32>) {
  nn.reduce ins(%x : memref<4x40xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32}
  func.return
}

// Sums of doubles, across memory, or of few elements are taken one element after the other.

// CHECK-LABEL: func.func @doubles
// CHECK-NOT:     memref.alloca
// CHECK:         iter_args
func.func @doubles(%x: memref<4x40xf64>, %o: memref<4xf64>) {
  nn.reduce ins(%x : memref<4x40xf64>) outs(%o : memref<4xf64>) {kind = "sum", axes = array<i64: 1>, accumulator = f64}
  func.return
}

// CHECK-LABEL: func.func @across
// CHECK-NOT:     memref.alloca
// CHECK:         iter_args
func.func @across(%x: memref<40x4xf32>, %o: memref<4xf32>) {
  nn.reduce ins(%x : memref<40x4xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 0>, accumulator = f32}
  func.return
}

// CHECK-LABEL: func.func @few
// CHECK-NOT:     memref.alloca
// CHECK:         iter_args
func.func @few(%x: memref<4x31xf32>, %o: memref<4xf32>) {
  nn.reduce ins(%x : memref<4x31xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32}
  func.return
}

// The exponentials of a softmax are stored as they are summed up; those of a row too long for a first cache are not.

// CHECK-LABEL: func.func @softmax
// CHECK:         %[[KEPT:.*]] = memref.alloca() {{.*}} : memref<40xf32>
// CHECK:         %[[POWER:.*]] = math.exp
// CHECK:         memref.store %[[POWER]], %[[KEPT]][%{{.*}}]
// CHECK:         arith.divf
func.func @softmax(%x: memref<4x40xf32>, %o: memref<4x40xf32>) {
  nn.softmax ins(%x : memref<4x40xf32>) outs(%o : memref<4x40xf32>) {accumulator = f32, element = f32}
  func.return
}

// CHECK-LABEL: func.func @long
// CHECK-COUNT-3: math.exp
func.func @long(%x: memref<5000xf32>, %o: memref<5000xf32>) {
  nn.softmax ins(%x : memref<5000xf32>) outs(%o : memref<5000xf32>) {accumulator = f32, element = f32}
  func.return
}

// What is left over of a row, a single element, is folded inside the loop over rows.

// CHECK-LABEL: func.func @rest
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:         } {tilewright.independent}
// CHECK:         } {tilewright.independent}
// CHECK:           %[[OLD:.*]] = memref.load %partial[%c0] : memref<16xf32>
// CHECK-NEXT:      %[[LAST:.*]] = memref.load %x[%[[ROW]], %c48] : memref<4x49xf32>
// CHECK-NEXT:      arith.addf %[[OLD]], %[[LAST]] : f32
func.func @rest(%x: memref<4x49xf32>, %o: memref<4xf32>) {
  nn.reduce ins(%x : memref<4x49xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32}
  func.return
}

// A maximum that goes on from its output starts from the neutral element, and takes the output's old element last.

// CHECK-LABEL: func.func @accumulate
// CHECK:         %[[LEAST:.*]] = arith.constant 0xff800000 : f32
// CHECK:         %[[P:.*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK:         memref.store %[[LEAST]], %[[P]][%{{.*}}]
// CHECK:         %[[OLD:.*]] = memref.load %o[%[[ROW:.*]]]
// CHECK:         %[[BEST:.*]] = arith.maximumf %[[OLD]], %{{.*}} : f32
// CHECK:         memref.store %[[BEST]], %o[%[[ROW]]]
func.func @accumulate(%x: memref<4x40xf32>, %mask: memref<4x40xi1>, %o: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%mask, %x : memref<4x40xi1>, memref<4x40xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%holds: i1, %e: f32, %best: f32):
    %least = arith.constant 0xff800000 : f32
    %kept = arith.select %holds, %e, %least : f32
    %larger = arith.maximumf %best, %kept : f32
    linalg.yield %larger : f32
  }
  func.return
}
