// RUN: opt-tool %s -p fuse-widening | filecheck %s

// A product reads the narrow matrix, and converts as it multiplies.
// CHECK-LABEL: func.func @product
// CHECK:         %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<2x3xbf16>
// CHECK-NOT:     linalg.generic
// CHECK:         nn.matmul ins(%x, %[[W]] : tensor<4x2xf32>, tensor<2x3xbf16>) outs(%{{.*}} : tensor<4x3xf32>) {accumulator = f32}
func.func @product(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
  %e = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<2x3xbf16>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%0: bf16, %1: f32):
    %2 = arith.extf %0 : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<2x3xf32>
  %o = tensor.empty() : tensor<4x3xf32>
  %y = nn.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%o : tensor<4x3xf32>) {accumulator = f32}
  func.return %y : tensor<4x3xf32>
}

// A scale of each feature multiplies the sums; a lookup of the same table multiplies the element.
// CHECK-LABEL: func.func @table
// CHECK-DAG:     %[[T:.*]] = arith.constant dense<{{.*}}> : tensor<3x2xi8>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<{{.*}}> : tensor<3xf32>
// CHECK:         %[[N:.*]] = tensor.extract %[[T]][%{{.*}}, %{{.*}}] : tensor<3x2xi8>
// CHECK-NEXT:    %[[F:.*]] = tensor.extract %[[S]][%{{.*}}] : tensor<3xf32>
// CHECK-NEXT:    %[[I:.*]] = arith.extsi %[[N]] : i8 to i32
// CHECK-NEXT:    %[[R:.*]] = arith.sitofp %[[I]] : i32 to f32
// CHECK-NEXT:    arith.mulf %[[R]], %[[F]] : f32
// CHECK:         %[[P:.*]] = nn.matmul ins(%{{.*}}, %[[T]] : tensor<1x2xf32>, tensor<3x2xi8>) {{.*}} {accumulator = f32, transpose_b}
// CHECK:         linalg.generic {{.*}}affine_map<(d0, d1) -> (d1)>
// CHECK-SAME:    ins(%[[P]], %[[S]] : tensor<1x3xf32>, tensor<3xf32>)
// CHECK:         arith.mulf
func.func @table(%i: tensor<1xindex>) -> tensor<1x3xf32> {
  %c = arith.constant dense<[[1, 2], [3, 4], [5, -6]]> : tensor<3x2xi8>
  %s = arith.constant dense<[0.5, 0.25, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<3x2xi8>, tensor<3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%0: i8, %1: f32, %2: f32):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.mulf %4, %1 : f32
    linalg.yield %5 : f32
  } -> tensor<3x2xf32>
  %r = tensor.empty() : tensor<1x2xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<1xindex>) outs(%r : tensor<1x2xf32>) {
  ^bb0(%0: index, %1: f32):
    %2 = linalg.index 1 : index
    %3 = tensor.extract %w[%0, %2] : tensor<3x2xf32>
    linalg.yield %3 : f32
  } -> tensor<1x2xf32>
  %o = tensor.empty() : tensor<1x3xf32>
  %y = nn.matmul ins(%x, %w : tensor<1x2xf32>, tensor<3x2xf32>) outs(%o : tensor<1x3xf32>) {accumulator = f32, transpose_b}
  func.return %y : tensor<1x3xf32>
}

// One scale for all, of a convolution.
// CHECK-LABEL: func.func @convolution
// CHECK:         %[[P:.*]] = nn.conv ins(%x, %{{.*}} : tensor<1x1x4x4xf32>, tensor<2x1x1x1xi8>)
// CHECK:         linalg.generic {{.*}} ins(%[[P]] : tensor<1x2x4x4xf32>)
// CHECK:         %[[H:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:    arith.mulf %{{.*}}, %[[H]] : f32
func.func @convolution(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %c = arith.constant dense<[[[[3]]], [[[4]]]]> : tensor<2x1x1x1xi8>
  %e = tensor.empty() : tensor<2x1x1x1xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<2x1x1x1xi8>) outs(%e : tensor<2x1x1x1xf32>) {
  ^bb0(%0: i8, %1: f32):
    %2 = arith.sitofp %0 : i8 to f32
    %3 = arith.constant 5.000000e-01 : f32
    %4 = arith.mulf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x1x1x1xf32>
  %o = tensor.empty() : tensor<1x2x4x4xf32>
  %y = nn.conv ins(%x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) outs(%o : tensor<1x2x4x4xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = f32}
  func.return %y : tensor<1x2x4x4xf32>
}

// A slice is taken of the narrow table and of its scales, at an index of the run.
// CHECK-LABEL: func.func @slice
// CHECK:         %[[N:.*]] = tensor.extract_slice %{{.*}}[%i, 0] [1, 2] [1, 1] : tensor<3x2xi8> to tensor<1x2xi8>
// CHECK-NEXT:    %[[S:.*]] = tensor.extract_slice %{{.*}}[%i] [1] [1] : tensor<3xf32> to tensor<1xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[N]], %[[S]] : tensor<1x2xi8>, tensor<1xf32>) outs(%{{.*}} : tensor<1x2xf32>)
func.func @slice(%i: index) -> tensor<1x2xf32> {
  %c = arith.constant dense<[[1, 2], [3, 4], [5, -6]]> : tensor<3x2xi8>
  %s = arith.constant dense<[0.5, 0.25, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<3x2xi8>, tensor<3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%0: i8, %1: f32, %2: f32):
    %3 = arith.sitofp %0 : i8 to f32
    %4 = arith.mulf %3, %1 : f32
    linalg.yield %4 : f32
  } -> tensor<3x2xf32>
  %y = tensor.extract_slice %w[%i, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
