// {"kind": "gathered", "entry": "chunk217", "traits": ["gather"], "arguments": [["a0", ["tensor", [1, 1], "f64"], [0, 0], false], ["a1", ["tensor", [1, 1, 1], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [3, 1, 1], "f64"], [0, 0], true], ["r1", ["tensor", [1, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk217(%arg0: tensor<1x1xf64>, %arg1: tensor<1x1x1xf64>) -> (tensor<3x1x1xf64>, tensor<1x1xf64>) {
    %cst = arith.constant dense<0> : tensor<3x1xindex>
    %gather = tensor.gather %arg0[%cst] gather_dims([0]) : (tensor<1x1xf64>, tensor<3x1xindex>) -> tensor<3x1x1xf64>
    %cst_0 = arith.constant dense<0> : tensor<1x1xindex>
    %scatter = tensor.scatter %arg1 into %arg0[%cst_0] scatter_dims([0]) unique : (tensor<1x1x1xf64>, tensor<1x1xf64>, tensor<1x1xindex>) -> tensor<1x1xf64>
    return %gather, %scatter : tensor<3x1x1xf64>, tensor<1x1xf64>
  }
}
