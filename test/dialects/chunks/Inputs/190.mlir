// {"kind": "winograd", "entry": "chunk190", "traits": ["decomposed"], "arguments": [["a0", ["tensor", [2, 3, 3, 1], "f32"], [0, 0], false], ["a1", ["tensor", [1, 6, 6, 1], "f32"], [0, 0], false], ["a2", ["tensor", [6, 6, 1, 2], "f32"], [0, 0], false], ["a3", ["tensor", [6, 6, 1, 1, 1, 1], "f32"], [0, 0], false], ["a4", ["tensor", [6, 6, 1, 1, 1, 2], "f32"], [0, 0], false], ["a5", ["tensor", [1, 4, 4, 2], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [6, 6, 1, 2], "f32"], [0, 0], true], ["r1", ["tensor", [6, 6, 1, 1, 1, 1], "f32"], [0, 0], true], ["r2", ["tensor", [1, 4, 4, 2], "f32"], [0, 0], true]]}
module {
  func.func @chunk190(%arg0: tensor<2x3x3x1xf32>, %arg1: tensor<1x6x6x1xf32>, %arg2: tensor<6x6x1x2xf32>, %arg3: tensor<6x6x1x1x1x1xf32>, %arg4: tensor<6x6x1x1x1x2xf32>, %arg5: tensor<1x4x4x2xf32>) -> (tensor<6x6x1x2xf32>, tensor<6x6x1x1x1x1xf32>, tensor<1x4x4x2xf32>) {
    %0 = linalg.winograd_filter_transform m(4) r(3) ins(%arg0 : tensor<2x3x3x1xf32>) outs(%arg2 : tensor<6x6x1x2xf32>) -> tensor<6x6x1x2xf32>
    %1 = linalg.winograd_input_transform m(4) r(3) ins(%arg1 : tensor<1x6x6x1xf32>) outs(%arg3 : tensor<6x6x1x1x1x1xf32>) -> tensor<6x6x1x1x1x1xf32>
    %2 = linalg.winograd_output_transform m(4) r(3) ins(%arg4 : tensor<6x6x1x1x1x2xf32>) outs(%arg5 : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    return %0, %1, %2 : tensor<6x6x1x2xf32>, tensor<6x6x1x1x1x1xf32>, tensor<1x4x4x2xf32>
  }
}
