// {"kind": "tensor-calls", "entry": "chunk284", "traits": [], "arguments": [["a7", ["tensor", [], "i32"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [1], "i32"], [0, 0], true], ["result2", ["tensor", [4], "i8"], [0, 0], true], ["result3", ["tensor", [], "i32"], [0, 0], true]]}
module {
  func.func private @chunk284_n1() -> i8 {
    %cst = arith.constant 2.500000e+00 : f64
    %0 = arith.subf %cst, %cst : f64
    %1 = arith.negf %cst : f64
    %c-32767_i16 = arith.constant -32767 : i16
    %2 = arith.xori %c-32767_i16, %c-32767_i16 : i16
    %c61_i8 = arith.constant 61 : i8
    return %c61_i8 : i8
  }
  func.func @chunk284(%arg0: tensor<i32>) -> (tensor<2xf32>, tensor<1xi32>, tensor<4xi8>, tensor<i32>) {
    %extracted = tensor.extract %arg0[] : tensor<i32>
    %0 = call @chunk284_n1() : () -> i8
    %cst = arith.constant 1.000000e+00 : f32
    %1 = arith.negf %cst : f32
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %cst_1 = arith.constant dense<0> : tensor<i32>
    %2 = call @chunk284_n1() : () -> i8
    %3 = call @chunk284_n1() : () -> i8
    %4 = call @chunk284_n1() : () -> i8
    %from_elements = tensor.from_elements %cst, %1 : tensor<2xf32>
    %from_elements_2 = tensor.from_elements %extracted : tensor<1xi32>
    %from_elements_3 = tensor.from_elements %0, %2, %3, %4 : tensor<4xi8>
    return %from_elements, %from_elements_2, %from_elements_3, %cst_0 : tensor<2xf32>, tensor<1xi32>, tensor<4xi8>, tensor<i32>
  }
}
