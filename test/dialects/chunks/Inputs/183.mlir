// {"kind": "tensor_bits", "entry": "chunk183", "traits": ["unsigned"], "arguments": [["a0", ["tensor", [2, 3], "i32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk183(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = tensor.bitcast %arg0 : tensor<2x3xi32> to tensor<2x3xui32>
    %1 = tensor.bitcast %0 : tensor<2x3xui32> to tensor<2x3xi32>
    return %1 : tensor<2x3xi32>
  }
}
