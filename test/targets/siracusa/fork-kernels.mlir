// RUN: opt-tool %s -p 'convert-kernels-to-dots{window-bytes=512},convert-kernels-to-loops{row-bytes=64},fork-kernels{cores=8}' | filecheck %s

// The rows of the image are the loop that eight cores share best: 20 of them take 3 turns at most, 5 columns one each.

// CHECK-LABEL: func.func private @add_core
// CHECK-SAME:    %core: index
// CHECK:         %[[BEGIN:.*]] = arith.muli %core, %c3
// CHECK:         scf.for %i0 = %first to %last step
// CHECK:           scf.for %i1 = %c0 to %c5 step
// CHECK-LABEL: func.func private @add
// CHECK-SAME:    engine = "cluster"
// CHECK-NEXT:    hier.fork @add_core(%x, %y) {cores = 8 : i64}
// CHECK-NEXT:    func.return
func.func private @add(%x: memref<20x5xi32>, %y: memref<20x5xi32>) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<20x5xi32>) outs(%y : memref<20x5xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

// Of one row the columns are shared.

// CHECK-LABEL: func.func private @row_core
// CHECK:         scf.for %i1 = %first to %last step
// CHECK-NEXT:      memref.load
// CHECK-LABEL: func.func private @row
// CHECK:         hier.fork @row_core(%x, %y)
func.func private @row(%x: memref<1x64xi32>, %y: memref<1x64xi32>) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x64xi32>) outs(%y : memref<1x64xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

// One sum cannot be shared, and a function of no engine is no kernel.

// CHECK-LABEL: func.func private @sum
// CHECK-NOT:     hier.fork
// CHECK:         scf.for
func.func private @sum(%x: memref<64xi32>, %y: memref<1xi32>) attributes {engine = "cluster"} {
  nn.reduce ins(%x : memref<64xi32>) outs(%y : memref<1xi32>) {kind = "sum", axes = array<i64: 0>, accumulator = i32, keep_dims}
  func.return
}

// CHECK-LABEL: func.func private @copier
// CHECK-NOT:     hier.fork
func.func private @copier(%x: memref<1x64xi32>, %y: memref<1x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x64xi32>) outs(%y : memref<1x64xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  }
  func.return
}

// Of a single row each core does the reduction, and its share of what is computed with it.

// CHECK-LABEL: func.func private @norm_core
// CHECK:         scf.for %s = %c0{{.*}} to %c4 step %c1 iter_args
// CHECK:         scf.for %s_1 = %first to %last step
// CHECK:         scf.for %r = %first_1 to %last_1 step
// CHECK-LABEL: func.func private @norm
// CHECK:         hier.fork @norm_core
func.func private @norm(%x: memref<1x18xi8>, %w: memref<18xi32>, %y: memref<1x18xi8>) attributes {engine = "cluster"} {
  nn.int_rms_norm ins(%x, %w : memref<1x18xi8>, memref<18xi32>) outs(%y : memref<1x18xi8>)
    {shift = 6 : i64, low = -128 : i64, high = 127 : i64, accumulator = i32, element = i8}
  func.return
}

// Of a single pixel the features are shared, and every core copies its window for itself.

// CHECK-LABEL: func.func private @pixel_core
// CHECK:         %windows = memref.alloca
// CHECK:         cluster.im2col %x[{{.*}}], %windows[%c0, %c0]
// CHECK:         scf.for %f = %first to %last step
// CHECK:           cluster.dot %windows
// CHECK-LABEL: func.func private @pixel
// CHECK:         hier.fork @pixel_core
func.func private @pixel(%x: memref<1x3x3x3xi8>, %w: memref<64x3x3x3xi8>, %y: memref<1x1x1x64xi32>) attributes {engine = "cluster"} {
  nn.conv ins(%x, %w : memref<1x3x3x3xi8>, memref<64x3x3x3xi8>) outs(%y : memref<1x1x1x64xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last, im2col}
  func.return
}

// Beside the parallel loop an element is stored that all cores see: one core alone does all of it.

// CHECK-LABEL: func.func private @flagged
// CHECK-NOT:     hier.fork
// CHECK:         memref.store
// CHECK:         scf.for %i = %c0 to %c64 step
func.func private @flagged(%x: memref<64xi32>, %y: memref<65xi32>) attributes {engine = "cluster"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = memref.load %x[%c0] : memref<64xi32>
  memref.store %v, %y[%c64] : memref<65xi32>
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.load %x[%i] : memref<64xi32>
    memref.store %a, %y[%i] : memref<65xi32>
  } {tilewright.parallel}
  func.return
}

// Of one channel the phases of dilated columns are shared: each core gathers the lines of its own.

// CHECK-LABEL: func.func private @depthwise_core
// CHECK:         cluster.spread_weights
// CHECK:         scf.for %phase = %first to %last
// CHECK:           cluster.im2col
// CHECK:           scf.for %row
// CHECK:             cluster.window_words
// CHECK-LABEL: func.func private @depthwise
// CHECK:         hier.fork @depthwise_core
func.func private @depthwise(%x: memref<1x21x24x1xi8>, %w: memref<1x3x3x1xi8>, %y: memref<1x21x8x1xi32>) attributes {engine = "cluster"} {
  nn.conv ins(%x, %w : memref<1x21x24x1xi8>, memref<1x3x3x1xi8>) outs(%y : memref<1x21x8x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 8>, pads = array<i64: 1, 0, 1, 0>, groups = 1 : i64,
     accumulator = i32, channels_last}
  func.return
}
