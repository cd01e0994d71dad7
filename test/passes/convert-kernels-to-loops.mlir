// RUN: opt-tool %s -p convert-kernels-to-loops | filecheck %s

// Padding narrows the loops over the window, where its offset is known; scales are read once per channel.

// CHECK-LABEL: func.func @conv
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK:         %[[START:.*]] = arith.constant 0 : i32
// CHECK:         scf.for %i2 = %{{.*}} to %c4 step
// CHECK-NEXT:      %m = memref.load %mul[%i2]
// CHECK-NEXT:      %a = memref.load %add[%i2]
// CHECK-NEXT:      scf.for %i3
// CHECK-NEXT:        %[[TWICE:.*]] = arith.muli %i3, %c2 overflow<nsw> : index
// CHECK-NEXT:        %[[FIRST:.*]] = arith.subi %[[ONE]], %[[TWICE]] overflow<nsw> : index
// CHECK-NEXT:        %[[LOWER:.*]] = arith.maxsi %[[FIRST]], %{{.*}} : index
// CHECK-NEXT:        %[[ROW:.*]] = arith.subi %[[TWICE]], %[[ONE]] overflow<nsw> : index
// CHECK-NEXT:        scf.for %i4
// CHECK:               %[[SUM:.*]] = scf.for %i5 = %{{.*}} to %c3 step %{{.*}} iter_args(%[[A0:.*]] = %[[START]]) -> (i32) {
// CHECK-NEXT:            scf.for %i6 = %[[LOWER]] to %c3 step %{{.*}} iter_args(%[[A1:.*]] = %[[A0]]) -> (i32) {
// CHECK-NEXT:              %[[Y:.*]] = arith.addi %[[ROW]], %i6 overflow<nsw> : index
// CHECK-NEXT:              scf.for %i7
// CHECK-NOT:                 scf.if
// CHECK:                     memref.load %x[%{{.*}}, %i5, %[[Y]], %{{.*}}]
// CHECK:               arith.muli %[[SUM]], %m overflow<nsw> : i32
// CHECK-NEXT:          arith.addi %{{.*}}, %a overflow<nsw> : i32
// CHECK-NEXT:          arith.addi %{{.*}}, %c32768 overflow<nsw> : i32
// CHECK-NEXT:          arith.shrsi %{{.*}}, %c16 : i32
// CHECK-NEXT:          arith.maxsi
// CHECK-NEXT:          arith.minsi
// CHECK-NEXT:          %r = arith.trunci %{{.*}} : i32 to i8
// CHECK-NEXT:          memref.store %r, %o[%{{.*}}, %i2, %i3, %i4]
func.func @conv(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %mul: memref<4xi32>, %add: memref<4xi32>,
                %o: memref<1x4x4x4xi8>) {
  nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi8>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32}
    epilogue(%mul, %add : memref<4xi32>, memref<4xi32>)
    at [affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>] {
  ^bb0(%sum: i32, %m: i32, %a: i32):
    %r = quant.requantize %sum, %m, %a shift 16 clip 0 to 255 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return
}

// A window of one element in the padding leaves nothing to narrow: a test.

// CHECK-LABEL: func.func @guarded
// CHECK:         scf.for %i2
// CHECK:           %[[AT:.*]] = arith.subi %i2, %{{.*}} overflow<nsw> : index
// CHECK:           %[[LOW:.*]] = arith.cmpi sge, %[[AT]]
// CHECK:           %[[HIGH:.*]] = arith.cmpi slt, %[[AT]]
// CHECK:           %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK:           scf.if %[[INSIDE]] -> (i8) {
// CHECK-NEXT:        memref.load %x[%{{.*}}, %{{.*}}, %[[AT]]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %cm128 : i8
func.func @guarded(%x: memref<1x1x3xi8>, %o: memref<1x1x5xi8>) {
  nn.pool ins(%x : memref<1x1x3xi8>) outs(%o : memref<1x1x5xi8>) {kind = "max", window = array<i64: 1>,
    strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 1, 1>, accumulator = i8}
  func.return
}

// The rounding joins a constant addend; a clip to all of the type is dropped.

// CHECK-LABEL: func.func @requantize
// CHECK:         %[[ROUND:.*]] = arith.constant 108 : i32
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK-NEXT:    arith.muli
// CHECK-NEXT:    arith.addi %{{.*}}, %[[ROUND]] overflow<nsw> : i32
// CHECK-NEXT:    arith.shrsi
// CHECK-NEXT:    memref.store
func.func @requantize(%x: memref<4xi8>, %o: memref<4xi32>) {
  %mul = arith.constant 3 : i32
  %add = arith.constant 100 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xi8>) outs(%o : memref<4xi32>) {
  ^bb0(%a: i8, %b: i32):
    %r = quant.requantize %a, %mul, %add shift 4 clip -2147483648 to 2147483647 in i32 : i8, i32, i32 -> i32
    linalg.yield %r : i32
  }
  func.return
}

// A number that is not negative needs no bound below 0; one whose factor may be negative does.

// CHECK-LABEL: func.func @natural
// CHECK-NOT:     arith.maxsi
// CHECK:         arith.minsi %{{.*}}, %c127 : i32
// CHECK:         arith.maxsi %{{.*}}, %cm128 : i32
// CHECK-NEXT:    arith.minsi %{{.*}}, %c127 : i32
func.func @natural(%x: memref<4xi8>, %m: memref<4xi32>, %o: memref<4xi8>, %p: memref<4xi8>) {
  %mul = arith.constant 3 : i32
  %add = arith.constant 100 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xi8>) outs(%o : memref<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %n = arith.extui %a : i8 to i32
    %r = quant.requantize %n, %mul, %add shift 4 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%x, %m : memref<4xi8>, memref<4xi32>) outs(%p : memref<4xi8>) {
  ^bb0(%a: i8, %f: i32, %b: i8):
    %n = arith.extui %a : i8 to i32
    %r = quant.requantize %n, %f, %add shift 4 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return
}

// A factor that is an argument is not negative where its range says so.

// CHECK-LABEL: func.func @natural_factor
// CHECK-NOT:     arith.maxsi
// CHECK:         arith.minsi %{{.*}}, %c127 : i32
// CHECK:         arith.maxsi %{{.*}}, %cm128 : i32
// CHECK-NEXT:    arith.minsi %{{.*}}, %c127 : i32
func.func @natural_factor(%x: memref<4xi8>, %o: memref<4xi8>, %p: memref<4xi8>,
                          %f: i32 {tilewright.range = array<i64: 0, 9>},
                          %g: i32 {tilewright.range = array<i64: -1, 9>}) {
  %add = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xi8>) outs(%o : memref<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %n = arith.extui %a : i8 to i32
    %r = quant.requantize %n, %f, %add shift 4 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xi8>) outs(%p : memref<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %n = arith.extui %a : i8 to i32
    %r = quant.requantize %n, %g, %add shift 4 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return
}

// CHECK-LABEL: func.func @nearly_all
// CHECK:         arith.maxsi %{{.*}}, %cm2147483647 : i32
// CHECK-NEXT:    arith.minsi %{{.*}}, %c2147483646 : i32
func.func @nearly_all(%x: memref<4xi32>, %m: memref<4xi32>, %a: memref<4xi32>, %o: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %m, %a : memref<4xi32>, memref<4xi32>, memref<4xi32>) outs(%o : memref<4xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32, %old: i32):
    %r = quant.requantize %p, %q, %s shift 0 clip -2147483647 to 2147483646 in i32 : i32, i32, i32 -> i32
    linalg.yield %r : i32
  }
  func.return
}

// Each phase of a row kernel is a loop; what the row determines is computed outside of the last.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %i0
// CHECK-NEXT:      %[[TOTAL:.*]] = scf.for %{{.*}} iter_args
// CHECK-NOT:         memref.load %w
// CHECK:           arith.divsi %[[TOTAL]], %{{.*}} : i64
// CHECK:           %[[ROOT:.*]] = nn.isqrt
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK:             memref.load %w[%[[J]]]
// CHECK:             arith.divsi %{{.*}}, %[[ROOT]] : i64
// CHECK:             memref.store %{{.*}}, %o[%i0, %[[J]]]
func.func @rows(%x: memref<4x8xi8>, %w: memref<8xi32>, %o: memref<4x8xi8>) {
  nn.int_rms_norm ins(%x, %w : memref<4x8xi8>, memref<8xi32>) outs(%o : memref<4x8xi8>)
    {shift = 16 : i64, low = -128 : i64, high = 127 : i64, accumulator = i64, element = i8}
  func.return
}

// A copy of bytes stays one; a copy between layouts does not. Dimensions of extent 1 need no loop.

// CHECK-LABEL: func.func @copies
// CHECK:         memref.copy %x, %y
// CHECK-NEXT:    memref.copy %x, %u
// CHECK-NEXT:    scf.for %i1 =
// CHECK-NOT:       scf.for
// CHECK:           memref.load %x[%{{.*}}, %i1]
// CHECK-NEXT:      memref.store %{{.*}}, %z[%{{.*}}, %i1]
func.func @copies(%x: memref<1x3xi8>, %y: memref<1x3xi8>, %z: memref<1x3xi8, strided<[8, 2], offset: 1>>,
                  %u: memref<1x3xi8, strided<[8, 1], offset: 1>>) {
  memref.copy %x, %y : memref<1x3xi8> to memref<1x3xi8>
  memref.copy %x, %u : memref<1x3xi8> to memref<1x3xi8, strided<[8, 1], offset: 1>>
  memref.copy %x, %z : memref<1x3xi8> to memref<1x3xi8, strided<[8, 2], offset: 1>>
  func.return
}

// With `accumulate` the sum starts from what the output holds.

// CHECK-LABEL: func.func @accumulate
// CHECK:         scf.for %i1
// CHECK-NEXT:      %[[OLD:.*]] = memref.load %o[%i0, %i1]
// CHECK-NEXT:      %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[OLD]]) -> (i32) {
// CHECK:           memref.store %[[SUM]], %o[%i0, %i1]
func.func @accumulate(%a: memref<4x3xi8>, %b: memref<3x5xi8>, %o: memref<4x5xi32, strided<[8, 1], offset: ?>>) {
  nn.matmul ins(%a, %b : memref<4x3xi8>, memref<3x5xi8>) outs(%o : memref<4x5xi32, strided<[8, 1], offset: ?>>)
    {accumulator = i32, accumulate}
  func.return
}
