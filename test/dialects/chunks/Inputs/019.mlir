// {"kind": "elementwise_functions", "entry": "chunk19", "traits": ["libm"], "arguments": [["a0", ["tensor", [2, 1], "f32"], [0, 0], false], ["a1", ["tensor", [2, 1], "f32"], [0, 0], false], ["a2", ["tensor", [2, 1], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 1], "f32"], [0, 0], true], ["r1", ["tensor", [2, 1], "f32"], [0, 0], true]]}
module {
  func.func @chunk19(%arg0: tensor<2x1xf32>, %arg1: tensor<2x1xf32>, %arg2: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<square>} ins(%arg0 : tensor<2x1xf32>) outs(%arg2 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%arg0, %arg1 : tensor<2x1xf32>, tensor<2x1xf32>) outs(%arg2 : tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0, %1 : tensor<2x1xf32>, tensor<2x1xf32>
  }
}
