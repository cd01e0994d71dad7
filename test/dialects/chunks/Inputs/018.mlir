// {"kind": "elementwise_casts", "entry": "chunk18", "traits": [], "arguments": [["a0", ["tensor", [3, 1], "i8"], [0, 0], false], ["a1", ["tensor", [3, 1], "i8"], [0, 0], false], ["a2", ["tensor", [3, 1], "i32"], [0, 0], false]], "results": [["r0", ["tensor", [3, 1], "i32"], [0, 0], true], ["r1", ["tensor", [3, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk18(%arg0: tensor<3x1xi8>, %arg1: tensor<3x1xi8>, %arg2: tensor<3x1xi32>) -> (tensor<3x1xi32>, tensor<3x1xi32>) {
    %0 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0 : tensor<3x1xi8>) outs(%arg2 : tensor<3x1xi32>) -> tensor<3x1xi32>
    %1 = linalg.elemwise_binary {cast = #linalg.type_fn<cast_unsigned>, fun = #linalg.binary_fn<min_signed>} ins(%arg0, %arg1 : tensor<3x1xi8>, tensor<3x1xi8>) outs(%arg2 : tensor<3x1xi32>) -> tensor<3x1xi32>
    return %0, %1 : tensor<3x1xi32>, tensor<3x1xi32>
  }
}
