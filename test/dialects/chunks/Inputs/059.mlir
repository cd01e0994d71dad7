// {"kind": "tensors", "entry": "chunk59", "traits": [], "arguments": [["a0", ["tensor", [1, 2], "f64"], [0, 0], false], ["a1", ["tensor", [], "i16"], [0, 0], false]], "results": [["result0", ["tensor", [3], "f32"], [0, 0], true], ["result1", ["tensor", [3], "f64"], [0, 0], true], ["result2", ["tensor", [2], "i16"], [0, 0], true], ["result3", ["tensor", [2], "i8"], [0, 0], true], ["result4", ["tensor", [5], "index"], [0, 0], true], ["result5", ["tensor", [5], "index"], [0, 0], true], ["result6", ["tensor", [5], "index"], [0, 0], true], ["result7", ["tensor", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk59(%arg0: tensor<1x2xf64>, %arg1: tensor<i16>) -> (tensor<3xf32>, tensor<3xf64>, tensor<2xi16>, tensor<2xi8>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>) {
    %extracted = tensor.extract %arg1[] : tensor<i16>
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [1, 2] [1, 1] : tensor<1x2xf64> to tensor<1x2xf64>
    %cst = arith.constant 1.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %cst into %extracted_slice[%c0, %c0] : tensor<1x2xf64>
    %cst_0 = arith.constant dense<false> : tensor<4xi1>
    %cst_1 = arith.constant -3.750000e-01 : f32
    %0 = arith.subf %cst_1, %cst_1 : f32
    %c0_i8 = arith.constant 0 : i8
    %1 = arith.xori %c0_i8, %c0_i8 : i8
    %c1 = arith.constant 1 : index
    %2 = scf.for %arg2 = %c1 to %c1 step %c1 iter_args(%arg3 = %extracted) -> (i16) {
      %8 = math.ceil %0 : f32
      scf.yield %arg3 : i16
    }
    %3 = math.fma %cst, %cst, %cst : f64
    %4 = arith.remf %cst_1, %cst_1 : f32
    %cst_2 = arith.constant dense<25622> : tensor<4x1xi16>
    %extracted_slice_3 = tensor.extract_slice %cst_0[0] [4] [1] : tensor<4xi1> to tensor<4xi1>
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %5 = arith.remui %c2, %c8 : index
    %6 = arith.remf %3, %3 : f64
    %7 = arith.remf %3, %3 : f64
    %cst_4 = arith.constant dense<[-0.125304624, 1.401300e-45, 5.000000e-01]> : tensor<3xf32>
    %inserted_5 = tensor.insert %cst_1 into %cst_4[%c0] : tensor<3xf32>
    %inserted_6 = tensor.insert %0 into %inserted_5[%c1] : tensor<3xf32>
    %inserted_7 = tensor.insert %4 into %inserted_6[%c2] : tensor<3xf32>
    %cst_8 = arith.constant dense<[-1.000000e+00, 2.2250738585072009E-308, 7.000000e+00]> : tensor<3xf64>
    %inserted_9 = tensor.insert %cst into %cst_8[%c0] : tensor<3xf64>
    %inserted_10 = tensor.insert %3 into %inserted_9[%c1] : tensor<3xf64>
    %c2_11 = arith.constant 2 : index
    %inserted_12 = tensor.insert %6 into %inserted_10[%c2_11] : tensor<3xf64>
    %cst_13 = arith.constant dense<[-4, 0]> : tensor<2xi16>
    %inserted_14 = tensor.insert %extracted into %cst_13[%c0] : tensor<2xi16>
    %c1_15 = arith.constant 1 : index
    %inserted_16 = tensor.insert %2 into %inserted_14[%c1_15] : tensor<2xi16>
    %cst_17 = arith.constant dense<9> : tensor<2xi8>
    %inserted_18 = tensor.insert %c0_i8 into %cst_17[%c0] : tensor<2xi8>
    %inserted_19 = tensor.insert %1 into %inserted_18[%c1_15] : tensor<2xi8>
    %cst_20 = arith.constant dense<[37, 38, 66, 19, 80]> : tensor<5xindex>
    %cst_21 = arith.constant dense<[37, 38, 66, 19, 80]> : tensor<5xindex>
    %inserted_22 = tensor.insert %c0 into %cst_20[%c0] : tensor<5xindex>
    %inserted_23 = tensor.insert %c1 into %inserted_22[%c1] : tensor<5xindex>
    %inserted_24 = tensor.insert %c2 into %inserted_23[%c2] : tensor<5xindex>
    %c3 = arith.constant 3 : index
    %inserted_25 = tensor.insert %c8 into %inserted_24[%c3] : tensor<5xindex>
    %inserted_26 = tensor.insert %c8 into %inserted_24[%c3] : tensor<5xindex>
    %c4 = arith.constant 4 : index
    %inserted_27 = tensor.insert %5 into %inserted_25[%c4] : tensor<5xindex>
    return %inserted_7, %inserted_12, %inserted_16, %inserted_19, %inserted_27, %inserted_23, %inserted_24, %inserted_25 : tensor<3xf32>, tensor<3xf64>, tensor<2xi16>, tensor<2xi8>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>
  }
}
