// {"kind": "elementwise_casts", "entry": "chunk210", "traits": [], "arguments": [["a0", ["tensor", [3, 2], "i32"], [0, 0], false], ["a1", ["tensor", [3, 2], "i32"], [0, 0], false], ["a2", ["tensor", [3, 2], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [3, 2], "f64"], [0, 0], true], ["r1", ["tensor", [3, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk210(%arg0: tensor<3x2xi32>, %arg1: tensor<3x2xi32>, %arg2: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
    %0 = linalg.copy {cast = #linalg.type_fn<cast_signed>} ins(%arg0 : tensor<3x2xi32>) outs(%arg2 : tensor<3x2xf64>) -> tensor<3x2xf64>
    %1 = linalg.elemwise_binary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.binary_fn<sub>} ins(%arg0, %arg1 : tensor<3x2xi32>, tensor<3x2xi32>) outs(%arg2 : tensor<3x2xf64>) -> tensor<3x2xf64>
    return %0, %1 : tensor<3x2xf64>, tensor<3x2xf64>
  }
}
