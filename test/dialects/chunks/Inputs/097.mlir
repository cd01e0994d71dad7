// {"kind": "linalg.fill_rng_2d", "entry": "chunk97", "traits": [], "arguments": [["a0", ["tensor", [], "f64"], [0, 7], false], ["a1", ["tensor", [], "f64"], [0, 7], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [3, 2], "f32"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 2], "f32"], [0, 0], true]]}
module {
  func.func @chunk97(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<i32>, %arg3: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %extracted = tensor.extract %arg0[] : tensor<f64>
    %extracted_0 = tensor.extract %arg1[] : tensor<f64>
    %extracted_1 = tensor.extract %arg2[] : tensor<i32>
    %0 = linalg.fill_rng_2d ins(%extracted, %extracted_0, %extracted_1 : f64, f64, i32) outs(%arg3 : tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
