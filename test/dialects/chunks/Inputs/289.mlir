// {"kind": "linalg.fill_rng_2d", "entry": "chunk289", "traits": [], "arguments": [["a0", ["tensor", [], "f64"], [0, 7], false], ["a1", ["tensor", [], "f64"], [0, 7], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [1, 3], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk289(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<i32>, %arg3: tensor<1x3xi32>) -> tensor<1x3xi32> {
    %extracted = tensor.extract %arg0[] : tensor<f64>
    %extracted_0 = tensor.extract %arg1[] : tensor<f64>
    %extracted_1 = tensor.extract %arg2[] : tensor<i32>
    %0 = linalg.fill_rng_2d ins(%extracted, %extracted_0, %extracted_1 : f64, f64, i32) outs(%arg3 : tensor<1x3xi32>) -> tensor<1x3xi32>
    return %0 : tensor<1x3xi32>
  }
}
