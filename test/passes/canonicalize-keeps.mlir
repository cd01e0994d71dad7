// RUN: opt-tool %s -p canonicalize > %t && opt-tool %s | diff - %t

// A neutral element on the left of a difference is not neutral, and a float's zero is none.

func.func @not_neutral(%x: tensor<4xi8>, %f: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %z = arith.constant 0 : i8
    %s = arith.subi %z, %a : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %g = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%f : tensor<4xf32>) outs(%g : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %z = arith.constant 0.0 : f32
    %s = arith.addf %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %y, %h : tensor<4xi8>, tensor<4xf32>
}

// A copy of another shape or in another order is none.

func.func @broadcast(%x: tensor<1xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<1xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// An epilogue that yields one of its operands, not the sum, stays.

func.func @epilogue_of_an_operand(%x: tensor<2x3xi8>, %w: tensor<3x2xi8>, %b: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %e = tensor.empty() : tensor<2x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<2x3xi8>, tensor<3x2xi8>) outs(%e : tensor<2x2xi32>) {accumulator = i32} epilogue(%b : tensor<2x2xi32>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %other: i32):
    linalg.yield %other : i32
  }
  func.return %y : tensor<2x2xi32>
}

// Padding that adds elements stays.

func.func @pad_after(%x: tensor<4xi8>) -> tensor<5xi8> {
  %y = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    %z = arith.constant 0 : i8
    tensor.yield %z : i8
  } : tensor<4xi8> to tensor<5xi8>
  func.return %y : tensor<5xi8>
}
