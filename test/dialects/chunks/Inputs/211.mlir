// {"kind": "elementwise_functions", "entry": "chunk211", "traits": ["libm"], "arguments": [["a0", ["tensor", [2, 3], "f32"], [0, 0], false], ["a1", ["tensor", [2, 3], "f32"], [0, 0], false], ["a2", ["tensor", [2, 3], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 3], "f32"], [0, 0], true], ["r1", ["tensor", [2, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk211(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<ceil>} ins(%arg0 : tensor<2x3xf32>) outs(%arg2 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<min_signed>} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%arg2 : tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
