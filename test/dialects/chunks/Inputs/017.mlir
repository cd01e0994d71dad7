// {"kind": "tensors", "entry": "chunk17", "traits": [], "arguments": [["a0", ["tensor", [4], "i32"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [2], "i32"], [0, 0], true], ["result2", ["tensor", [2], "index"], [0, 0], true], ["result3", ["tensor", [4], "i32"], [0, 0], true], ["result4", ["tensor", [2], "i32"], [0, 0], true]]}
module {
  func.func @chunk17(%arg0: tensor<4xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xindex>, tensor<4xi32>, tensor<2xi32>) {
    %cst = arith.constant -6.89029455 : f32
    %0 = arith.negf %cst : f32
    %c1 = arith.constant 1 : index
    %extracted_slice = tensor.extract_slice %arg0[%c1] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %c0 = arith.constant 0 : index
    %extracted = tensor.extract %arg0[%c0] : tensor<4xi32>
    %extracted_0 = tensor.extract %extracted_slice[%c0] : tensor<2xi32>
    %from_elements = tensor.from_elements %cst, %0 : tensor<2xf32>
    %from_elements_1 = tensor.from_elements %extracted, %extracted_0 : tensor<2xi32>
    %from_elements_2 = tensor.from_elements %c1, %c0 : tensor<2xindex>
    return %from_elements, %from_elements_1, %from_elements_2, %arg0, %extracted_slice : tensor<2xf32>, tensor<2xi32>, tensor<2xindex>, tensor<4xi32>, tensor<2xi32>
  }
}
