// {"kind": "mapped", "entry": "chunk156", "traits": [], "arguments": [["a0", ["tensor", [2], "i8"], [0, 0], false], ["a1", ["tensor", [2], "i8"], [0, 0], false], ["a2", ["tensor", [2], "i8"], [0, 0], false]], "results": [["r0", ["tensor", [2], "i8"], [0, 0], true], ["r1", ["tensor", [2], "i8"], [0, 0], true]]}
module {
  func.func @chunk156(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
    %mapped = linalg.map { arith.minsi } ins(%arg0, %arg1 : tensor<2xi8>, tensor<2xi8>) outs(%arg2 : tensor<2xi8>)
    %mapped_0 = linalg.map ins(%arg0, %arg1 : tensor<2xi8>, tensor<2xi8>) outs(%arg2 : tensor<2xi8>)
      (%in: i8, %in_1: i8) {
        %0 = arith.subi %in_1, %in : i8
        linalg.yield %0 : i8
      }
    return %mapped, %mapped_0 : tensor<2xi8>, tensor<2xi8>
  }
}
