// {"kind": "gathered", "entry": "chunk25", "traits": ["gather"], "arguments": [["a0", ["tensor", [2, 2], "i64"], [0, 0], false], ["a1", ["tensor", [2, 1, 2], "i64"], [0, 0], false]], "results": [["r0", ["tensor", [2, 1, 2], "i64"], [0, 0], true], ["r1", ["tensor", [2, 2], "i64"], [0, 0], true]]}
module {
  func.func @chunk25(%arg0: tensor<2x2xi64>, %arg1: tensor<2x1x2xi64>) -> (tensor<2x1x2xi64>, tensor<2x2xi64>) {
    %cst = arith.constant dense<[[1], [0]]> : tensor<2x1xindex>
    %gather = tensor.gather %arg0[%cst] gather_dims([0]) : (tensor<2x2xi64>, tensor<2x1xindex>) -> tensor<2x1x2xi64>
    %cst_0 = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>
    %scatter = tensor.scatter %arg1 into %arg0[%cst_0] scatter_dims([0]) unique : (tensor<2x1x2xi64>, tensor<2x2xi64>, tensor<2x1xindex>) -> tensor<2x2xi64>
    return %gather, %scatter : tensor<2x1x2xi64>, tensor<2x2xi64>
  }
}
