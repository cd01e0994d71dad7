// {"kind": "linalg.dot", "entry": "chunk93", "traits": [], "arguments": [["a0", ["tensor", [1], "i8"], [-9, 9], false], ["a1", ["tensor", [1], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i8"], [-9, 9], false]], "results": [["r0", ["tensor", [], "i8"], [0, 0], true]]}
module {
  func.func @chunk93(%arg0: tensor<1xi8>, %arg1: tensor<1xi8>, %arg2: tensor<i8>) -> tensor<i8> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<1xi8>, tensor<1xi8>) outs(%arg2 : tensor<i8>) -> tensor<i8>
    return %0 : tensor<i8>
  }
}
