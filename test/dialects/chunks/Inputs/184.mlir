// {"kind": "tensor_facts", "entry": "chunk184", "traits": [], "arguments": [["a0", ["tensor", [2, 3], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [], "index"], [0, 0], true], ["r1", ["tensor", [], "index"], [0, 0], true], ["r2", ["tensor", [6], "f32"], [0, 0], true]]}
module {
  func.func @chunk184(%arg0: tensor<2x3xf32>) -> (tensor<index>, tensor<index>, tensor<6xf32>) {
    %cast = tensor.cast %arg0 : tensor<2x3xf32> to tensor<?x?xf32>
    %rank = tensor.rank %cast : tensor<?x?xf32>
    %from_elements = tensor.from_elements %rank : tensor<index>
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %cast, %c1 : tensor<?x?xf32>
    %from_elements_0 = tensor.from_elements %dim : tensor<index>
    %cst = arith.constant dense<6> : tensor<1xindex>
    %reshape = tensor.reshape %arg0(%cst) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
    return %from_elements, %from_elements_0, %reshape : tensor<index>, tensor<index>, tensor<6xf32>
  }
}
