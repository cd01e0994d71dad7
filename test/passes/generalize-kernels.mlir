// RUN: opt-tool %s -p generalize-kernels | filecheck %s

// Padding is its own op, the sum goes into a filled accumulator, the epilogue is elementwise.

// CHECK-LABEL: func.func @conv
// CHECK:         %[[ACC:.*]] = linalg.fill ins(%{{.*}} : i32) outs(%{{.*}} : tensor<1x4x4x4xi32>)
// CHECK:         %[[PAD:.*]] = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0]
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps =
// CHECK-SAME:      [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, ((d2 * 2) + d5), ((d3 * 2) + d6))>,
// CHECK-SAME:       affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>,
// CHECK-SAME:       affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
// CHECK-SAME:      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-SAME:      ins(%[[PAD]], %w : tensor<1x3x9x9xi8>, tensor<4x3x3x3xi8>) outs(%[[ACC]] : tensor<1x4x4x4xi32>)
// CHECK:         %r = linalg.generic
// CHECK-SAME:      ins(%[[SUM]], %mul : tensor<1x4x4x4xi32>, tensor<4xi32>) outs(%o : tensor<1x4x4x4xi8>)
// CHECK-NEXT:    ^bb0(%sum: i32, %m: i32, %{{.*}}: i8):
// CHECK-NEXT:      arith.muli %sum, %m overflow<nsw> : i32
// CHECK-NEXT:      %[[ROUND:.*]] = arith.constant 32775 : i32
// CHECK-NEXT:      arith.addi %{{.*}}, %[[ROUND]] overflow<nsw> : i32
// CHECK-NOT:       quant
// CHECK:         func.return %r
func.func @conv(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %mul: tensor<4xi32>, %o: tensor<1x4x4x4xi8>)
    -> tensor<1x4x4x4xi8> {
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x4x4xi8>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32}
    epilogue(%mul : tensor<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d1)>] {
  ^bb0(%sum: i32, %m: i32):
    %a = arith.constant 7 : i32
    %q = quant.requantize %sum, %m, %a shift 16 clip 0 to 255 in i32 : i32, i32, i32 -> i8
    linalg.yield %q : i8
  }
  func.return %r : tensor<1x4x4x4xi8>
}

// The features of a grouped convolution are taken apart into groups, so that the output's map is a projection.

// CHECK-LABEL: func.func @grouped
// CHECK:         tensor.expand_shape %o {{.*}} : tensor<1x6x3xi32> into tensor<1x2x3x3xi32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, ((d1 * 2) + d4), (d3 + d5))>,
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (((d1 * 3) + d2), d4, d5)>,
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>]
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x2x3x3xi32> into tensor<1x6x3xi32>
func.func @grouped(%x: tensor<1x4x5xi8>, %w: tensor<6x2x3xi8>, %o: tensor<1x6x3xi32>) -> tensor<1x6x3xi32> {
  %r = nn.conv ins(%x, %w : tensor<1x4x5xi8>, tensor<6x2x3xi8>) outs(%o : tensor<1x6x3xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = i32}
  func.return %r : tensor<1x6x3xi32>
}

// No operand of a pooling has the window's shape, so one is made.

// CHECK-LABEL: func.func @pool
// CHECK:         %[[WINDOW:.*]] = tensor.empty() : tensor<3xi8>
// CHECK:         linalg.generic {{.*}} affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-SAME:      ins(%x, %[[WINDOW]] : tensor<1x2x7xi8>, tensor<3xi8>)
// CHECK:           arith.maxsi
func.func @pool(%x: tensor<1x2x7xi8>, %o: tensor<1x2x3xi8>) -> tensor<1x2x3xi8> {
  %r = nn.pool ins(%x : tensor<1x2x7xi8>) outs(%o : tensor<1x2x3xi8>) {kind = "max", window = array<i64: 3>,
    strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, accumulator = i8}
  func.return %r : tensor<1x2x3xi8>
}

// CHECK-LABEL: func.func @rows
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} ["parallel", "reduction"]} ins(%x : tensor<4x8xi8>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ["parallel", "reduction"]} ins(%x, %[[MAX]] : tensor<4x8xi8>, tensor<4xi32>)
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel"]} ins(%x, %[[MAX]], %[[SUM]] :
// CHECK-NOT:     nn.
func.func @rows(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %r : tensor<4x8xi8>
}

// On buffers padding is a copy into a filled one.

// CHECK-LABEL: func.func @buffers
// CHECK:         %[[PAD:.*]] = memref.alloc() : memref<1x1x5xi8>
// CHECK:         linalg.fill ins(%{{.*}} : i8) outs(%[[PAD]] : memref<1x1x5xi8>)
// CHECK:         %[[IN:.*]] = memref.subview %[[PAD]][0, 0, 1] [1, 1, 3] [1, 1, 1]
// CHECK-SAME:      to memref<1x1x3xi8, strided<[5, 5, 1], offset: 1>>
// CHECK:         memref.copy %x, %[[IN]]
// CHECK:         linalg.generic {{.*}} ins(%[[PAD]], %w : memref<1x1x5xi8>, memref<1x1x3xi8>) outs(%o : memref<1x1x3xi32>)
func.func @buffers(%x: memref<1x1x3xi8>, %w: memref<1x1x3xi8>, %o: memref<1x1x3xi32>) {
  nn.conv ins(%x, %w : memref<1x1x3xi8>, memref<1x1x3xi8>) outs(%o : memref<1x1x3xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 1, 1>, groups = 1 : i64, accumulator = i32}
  func.return
}

// With `accumulate` the sum goes into the output as it stands.

// CHECK-LABEL: func.func @accumulate
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}} outs(%o : memref<4x5xi32, strided<[8, 1], offset: ?>>)
// CHECK-NEXT:    ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[OLD:.*]]: i32):
// CHECK:           arith.addi %[[OLD]], %{{.*}} overflow<nsw> : i32
func.func @accumulate(%a: memref<4x3xi8>, %b: memref<3x5xi8>, %o: memref<4x5xi32, strided<[8, 1], offset: ?>>) {
  nn.matmul ins(%a, %b : memref<4x3xi8>, memref<3x5xi8>) outs(%o : memref<4x5xi32, strided<[8, 1], offset: ?>>)
    {accumulator = i32, accumulate}
  func.return
}

// Scalar ops that arith lacks are expanded: an integer root is that of a float, corrected by one.

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT:    %table = memref.get_global @table_0 : memref<256xi16>
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i8, %[[C:.*]]: f32, %{{.*}}: i32):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extsi %[[A]] : i32 to i64
// CHECK-NEXT:      %[[FLOAT:.*]] = arith.sitofp %[[WIDE]] : i64 to f64
// CHECK-NEXT:      math.sqrt %[[FLOAT]] : f64
// CHECK:           %[[ROOT:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:           arith.remf %[[C]], %[[C]] : f32
// CHECK:           memref.load %table
// CHECK-NOT:       nn.
// CHECK-NOT:       quant.
func.func @scalars(%a: tensor<4xi32>, %b: tensor<4xi8>, %c: tensor<4xf32>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
    affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%a, %b, %c : tensor<4xi32>, tensor<4xi8>, tensor<4xf32>) outs(%o : tensor<4xi32>) {
  ^bb0(%x: i32, %y: i8, %z: f32, %out: i32):
    %root = nn.isqrt %x : i32
    %rest = nn.remainder %z, %z : f32
    %whole = arith.fptosi %rest : f32 to i32
    %entry = quant.lookup %y {table = dense<7> : tensor<256xi16>} : i8 -> i16
    %wide = arith.extsi %entry : i16 to i32
    %s = arith.addi %root, %whole : i32
    %t = arith.addi %s, %wide : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @joined
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<2x7xi8>
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %a into %[[EMPTY]][0, 0] [2, 3] [1, 1] : tensor<2x3xi8> into tensor<2x7xi8>
// CHECK:         tensor.insert_slice %b into %[[FIRST]][0, 3] [2, 4] [1, 1] : tensor<2x4xi8> into tensor<2x7xi8>
func.func @joined(%a: tensor<2x3xi8>, %b: tensor<2x4xi8>) -> tensor<2x7xi8> {
  %r = tensor.concat dim(1) %a, %b : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<2x7xi8>
  func.return %r : tensor<2x7xi8>
}
