// {"kind": "linalg.powf", "entry": "chunk136", "traits": ["libm"], "arguments": [["a0", ["tensor", [2], "f32"], [0, 0], false], ["a1", ["tensor", [2], "f32"], [0, 0], false], ["a2", ["tensor", [2], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2], "f32"], [0, 0], true]]}
module {
  func.func @chunk136(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = linalg.powf ins(%arg0, %arg1 : tensor<2xf32>, tensor<2xf32>) outs(%arg2 : tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
