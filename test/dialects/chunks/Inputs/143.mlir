// {"kind": "tensors", "entry": "chunk143", "traits": [], "arguments": [["a0", ["tensor", [3, 4], "i64"], [0, 0], false], ["a1", ["tensor", [4, 3, 2], "f64"], [0, 0], false], ["a2", ["tensor", [], "f32"], [0, 0], false]], "results": [["result0", ["tensor", [1], "f32"], [0, 0], true], ["result1", ["tensor", [1], "f64"], [0, 0], true], ["result2", ["tensor", [1], "i16"], [0, 0], true], ["result3", ["tensor", [4], "i64"], [0, 0], true], ["result4", ["tensor", [1], "i8"], [0, 0], true], ["result5", ["tensor", [6], "index"], [0, 0], true], ["result6", ["tensor", [3, 2], "f64"], [0, 0], true], ["result7", ["tensor", [2, 2], "i16"], [0, 0], true], ["result8", ["tensor", [4], "i8"], [0, 0], true]]}
module {
  func.func @chunk143(%arg0: tensor<3x4xi64>, %arg1: tensor<4x3x2xf64>, %arg2: tensor<f32>) -> (tensor<1xf32>, tensor<1xf64>, tensor<1xi16>, tensor<4xi64>, tensor<1xi8>, tensor<6xindex>, tensor<3x2xf64>, tensor<2x2xi16>, tensor<4xi8>) {
    %extracted = tensor.extract %arg2[] : tensor<f32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %extracted_0 = tensor.extract %arg1[%c1, %c2, %c1] : tensor<4x3x2xf64>
    %cst = arith.constant dense<[[-32767, -8018], [0, -32767]]> : tensor<2x2xi16>
    %c-5304381005886366746_i64 = arith.constant -5304381005886366746 : i64
    %c2_1 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %c-5304381005886366746_i64 into %arg0[%c2_1, %c0] : tensor<3x4xi64>
    %cst_2 = arith.constant dense<false> : tensor<2x2x3xi1>
    %c9_i16 = arith.constant 9 : i16
    %0 = arith.extsi %c9_i16 : i16 to i64
    %1 = arith.extsi %c9_i16 : i16 to i64
    %2 = arith.addi %0, %1 overflow<nsw> : i64
    %inserted_slice = tensor.insert_slice %arg1 into %arg1[0, 0, 0] [4, 3, 2] [1, 1, 1] : tensor<4x3x2xf64> into tensor<4x3x2xf64>
    %cst_3 = arith.constant dense<[[[-1005243414, 32768, 3]]]> : tensor<1x1x3xi32>
    %c0_4 = arith.constant 0 : index
    %extracted_slice = tensor.extract_slice %arg1[%c0_4, %c0_4, 0] [3, 2, 1] [1, 1, 1] : tensor<4x3x2xf64> to tensor<3x2xf64>
    %c1_5 = arith.constant 1 : index
    %3 = scf.for %arg3 = %c0_4 to %c2 step %c1_5 iter_args(%arg4 = %cst) -> (tensor<2x2xi16>) {
      scf.yield %cst : tensor<2x2xi16>
    }
    %c0_i8 = arith.constant 0 : i8
    %from_elements = tensor.from_elements %c0_i8, %c0_i8, %c0_i8, %c0_i8 : tensor<4xi8>
    %from_elements_6 = tensor.from_elements %extracted : tensor<1xf32>
    %from_elements_7 = tensor.from_elements %extracted_0 : tensor<1xf64>
    %from_elements_8 = tensor.from_elements %c9_i16 : tensor<1xi16>
    %from_elements_9 = tensor.from_elements %c-5304381005886366746_i64, %0, %1, %2 : tensor<4xi64>
    %from_elements_10 = tensor.from_elements %c0_i8 : tensor<1xi8>
    %from_elements_11 = tensor.from_elements %c1, %c2, %c2_1, %c0, %c0_4, %c1_5 : tensor<6xindex>
    return %from_elements_6, %from_elements_7, %from_elements_8, %from_elements_9, %from_elements_10, %from_elements_11, %extracted_slice, %3, %from_elements : tensor<1xf32>, tensor<1xf64>, tensor<1xi16>, tensor<4xi64>, tensor<1xi8>, tensor<6xindex>, tensor<3x2xf64>, tensor<2x2xi16>, tensor<4xi8>
  }
}
