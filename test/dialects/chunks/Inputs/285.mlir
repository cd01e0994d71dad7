// {"kind": "linalg.dot", "entry": "chunk285", "traits": [], "arguments": [["a0", ["tensor", [2], "i64"], [-9, 9], false], ["a1", ["tensor", [2], "i64"], [-9, 9], false], ["a2", ["tensor", [], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [], "i64"], [0, 0], true]]}
module {
  func.func @chunk285(%arg0: tensor<2xi64>, %arg1: tensor<2xi64>, %arg2: tensor<i64>) -> tensor<i64> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<2xi64>, tensor<2xi64>) outs(%arg2 : tensor<i64>) -> tensor<i64>
    return %0 : tensor<i64>
  }
}
