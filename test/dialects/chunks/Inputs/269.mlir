// {"kind": "tensors", "entry": "chunk269", "traits": [], "arguments": [["a0", ["tensor", [], "i1"], [0, 0], false], ["a2", ["tensor", [], "i1"], [0, 0], false]], "results": [["result0", ["tensor", [4], "f32"], [0, 0], true], ["result1", ["tensor", [3], "f64"], [0, 0], true], ["result2", ["tensor", [4], "i1"], [0, 0], true], ["result3", ["tensor", [1], "i32"], [0, 0], true], ["result4", ["tensor", [1], "i64"], [0, 0], true], ["result5", ["tensor", [7], "i8"], [0, 0], true], ["result6", ["tensor", [6], "index"], [0, 0], true], ["result7", ["tensor", [1], "f64"], [0, 0], true]]}
module {
  func.func @chunk269(%arg0: tensor<i1>, %arg1: tensor<i1>) -> (tensor<4xf32>, tensor<3xf64>, tensor<4xi1>, tensor<1xi32>, tensor<1xi64>, tensor<7xi8>, tensor<6xindex>, tensor<1xf64>) {
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %extracted_0 = tensor.extract %arg1[] : tensor<i1>
    %c-2_i64 = arith.constant -2 : i64
    %0 = arith.cmpi sle, %c-2_i64, %c-2_i64 : i64
    %c74_i8 = arith.constant 74 : i8
    %1 = arith.subi %c74_i8, %c74_i8 : i8
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %2 = scf.for %arg2 = %c0 to %c6 step %c2 iter_args(%arg3 = %c74_i8) -> (i8) {
      scf.yield %arg3 : i8
    }
    %c5 = arith.constant 5 : index
    %c3 = arith.constant 3 : index
    %3 = arith.divui %c5, %c3 : index
    %c7_i8 = arith.constant 7 : i8
    %4 = arith.andi %c74_i8, %c7_i8 : i8
    %5 = arith.shli %2, %4 : i8
    %6 = arith.minsi %3, %3 : index
    %cst = arith.constant -2.000000e+00 : f32
    %cst_1 = arith.constant -1.17549435E-38 : f32
    %7 = arith.addf %cst, %cst_1 : f32
    %c5_i32 = arith.constant 5 : i32
    %8 = arith.trunci %c5_i32 : i32 to i1
    %9 = arith.trunci %c5_i32 : i32 to i8
    %cst_2 = arith.constant -2.735313004016676 : f64
    %cst_3 = arith.constant 1.000000e+00 : f64
    %10 = arith.select %extracted, %cst_2, %cst_3 : f64
    %11 = math.round %cst_1 : f32
    %cst_4 = arith.constant dense<8.185040491002745> : tensor<1xf64>
    %c8 = arith.constant 8 : index
    %12 = arith.maxsi %c8, %6 : index
    %from_elements = tensor.from_elements %cst, %cst_1, %7, %11 : tensor<4xf32>
    %from_elements_5 = tensor.from_elements %cst_2, %cst_3, %10 : tensor<3xf64>
    %from_elements_6 = tensor.from_elements %extracted, %extracted_0, %0, %8 : tensor<4xi1>
    %from_elements_7 = tensor.from_elements %c5_i32 : tensor<1xi32>
    %from_elements_8 = tensor.from_elements %c-2_i64 : tensor<1xi64>
    %from_elements_9 = tensor.from_elements %c74_i8, %1, %2, %c7_i8, %4, %5, %9 : tensor<7xi8>
    %from_elements_10 = tensor.from_elements %c5, %c3, %3, %6, %c8, %12 : tensor<6xindex>
    return %from_elements, %from_elements_5, %from_elements_6, %from_elements_7, %from_elements_8, %from_elements_9, %from_elements_10, %cst_4 : tensor<4xf32>, tensor<3xf64>, tensor<4xi1>, tensor<1xi32>, tensor<1xi64>, tensor<7xi8>, tensor<6xindex>, tensor<1xf64>
  }
}
