// {"kind": "linalg.mmt4d", "entry": "chunk108", "traits": [], "arguments": [["a0", ["tensor", [2, 2, 3, 3], "i8"], [-9, 9], false], ["a1", ["tensor", [2, 2, 3, 3], "i8"], [-9, 9], false], ["a2", ["tensor", [2, 2, 3, 3], "i8"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 2, 3, 3], "i8"], [0, 0], true]]}
module {
  func.func @chunk108(%arg0: tensor<2x2x3x3xi8>, %arg1: tensor<2x2x3x3xi8>, %arg2: tensor<2x2x3x3xi8>) -> tensor<2x2x3x3xi8> {
    %0 = linalg.mmt4d ins(%arg0, %arg1 : tensor<2x2x3x3xi8>, tensor<2x2x3x3xi8>) outs(%arg2 : tensor<2x2x3x3xi8>) -> tensor<2x2x3x3xi8>
    return %0 : tensor<2x2x3x3xi8>
  }
}
