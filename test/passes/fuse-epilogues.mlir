// RUN: opt-tool %s --mlir-print-debuginfo -p fuse-epilogues | filecheck %s

// Requantisation and residual join the product; the names of all three stay.
// CHECK-LABEL: func.func @fuse
// CHECK:         %z = nn.matmul ins(%x, %w : {{.*}}) outs(%g : tensor<2x4xi8>) {accumulator = i32}
// CHECK-SAME:    epilogue(%m, %r : tensor<4xi32>, tensor<2x4xi8>) at [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i32, %[[M:.*]]: i32, %[[R:.*]]: i8):
// CHECK-NEXT:      %[[Q:.*]] = quant.requantize %[[S]], %[[M]], %[[M]] shift 8
// CHECK-NEXT:      %[[Y:.*]] = arith.maxsi %[[R]], %[[Q]] : i8
// CHECK-NEXT:      linalg.yield %[[Y]] : i8
// CHECK-NEXT:    } loc(fused["product", "requantise", "max"])
// CHECK-NOT:     linalg.generic
func.func @fuse(%x: tensor<2x4xi8>, %w: tensor<4x4xi8>, %m: tensor<4xi32>, %r: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %e = tensor.empty() : tensor<2x4xi32>
  %f = tensor.empty() : tensor<2x4xi8>
  %p = nn.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x4xi8>) outs(%e : tensor<2x4xi32>) {accumulator = i32} loc("product")
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %m : tensor<2x4xi32>, tensor<4xi32>) outs(%f : tensor<2x4xi8>) {
  ^bb0(%a: i32, %b: i32, %o: i8):
    %s = quant.requantize %a, %b, %b shift 8 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %s : i8
  } -> tensor<2x4xi8> loc("requantise")
  %g = tensor.empty() : tensor<2x4xi8>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r, %q : tensor<2x4xi8>, tensor<2x4xi8>) outs(%g : tensor<2x4xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %s = arith.maxsi %a, %b : i8
    linalg.yield %s : i8
  } -> tensor<2x4xi8> loc("max")
  func.return %z : tensor<2x4xi8>
}

// Extensions of two sums join the addition: each is stored as bytes.
// CHECK-LABEL: func.func @extensions
// CHECK:         %[[A:.*]] = nn.reduce ins(%x : tensor<8x2x4xi8>) outs(%{{.*}} : tensor<2x4xi8>)
// CHECK:         nn.reduce ins(%y : tensor<8x2x4xi8>) {{.*}}epilogue(%[[A]] : tensor<2x4xi8>)
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i8, %[[R:.*]]: i8):
// CHECK-NEXT:      arith.extsi
// CHECK-NEXT:      arith.extsi
// CHECK-NEXT:      arith.addi
func.func @extensions(%x: tensor<8x2x4xi8>, %y: tensor<8x2x4xi8>) -> tensor<2x4xi32> {
  %e = tensor.empty() : tensor<2x4xi8>
  %f = tensor.empty() : tensor<2x4xi32>
  %a = nn.reduce ins(%x : tensor<8x2x4xi8>) outs(%e : tensor<2x4xi8>) {kind = "max", accumulator = i8, axes = array<i64: 0>}
  %b = nn.reduce ins(%y : tensor<8x2x4xi8>) outs(%e : tensor<2x4xi8>) {kind = "max", accumulator = i8, axes = array<i64: 0>}
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x4xi8>) outs(%f : tensor<2x4xi32>) {
  ^bb0(%0: i8, %1: i32):
    %2 = arith.extsi %0 : i8 to i32
    linalg.yield %2 : i32
  } -> tensor<2x4xi32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2x4xi8>) outs(%f : tensor<2x4xi32>) {
  ^bb0(%0: i8, %1: i32):
    %2 = arith.extsi %0 : i8 to i32
    linalg.yield %2 : i32
  } -> tensor<2x4xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %d : tensor<2x4xi32>, tensor<2x4xi32>) outs(%f : tensor<2x4xi32>) {
  ^bb0(%0: i32, %1: i32, %o: i32):
    %2 = arith.addi %0, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<2x4xi32>
  func.return %z : tensor<2x4xi32>
}
