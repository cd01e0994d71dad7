// {"kind": "tensors", "entry": "chunk101", "traits": [], "arguments": [["a0", ["tensor", [], "i8"], [0, 0], false], ["a2", ["tensor", [4, 3, 3], "i64"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [2], "f64"], [0, 0], true], ["result2", ["tensor", [3], "i1"], [0, 0], true], ["result3", ["tensor", [3], "i16"], [0, 0], true], ["result4", ["tensor", [2], "i64"], [0, 0], true], ["result5", ["tensor", [1], "i8"], [0, 0], true], ["result6", ["tensor", [2], "index"], [0, 0], true], ["result7", ["tensor", [1], "i8"], [0, 0], true], ["result8", ["tensor", [2], "index"], [0, 0], true], ["result9", ["tensor", [2], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0 * 2, d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @chunk101(%arg0: tensor<i8>, %arg1: tensor<4x3x3xi64>) -> (tensor<2xf32>, tensor<2xf64>, tensor<3xi1>, tensor<3xi16>, tensor<2xi64>, tensor<1xi8>, tensor<2xindex>, tensor<1xi8>, tensor<2xindex>, tensor<2xindex>) {
    %extracted = tensor.extract %arg0[] : tensor<i8>
    %true = arith.constant true
    %0 = arith.cmpi sgt, %true, %true : i1
    %1 = tensor.empty() : tensor<4xi1>
    %2 = linalg.fill ins(%0 : i1) outs(%1 : tensor<4xi1>) -> tensor<4xi1>
    %c-129_i16 = arith.constant -129 : i16
    %c63_i16 = arith.constant 63 : i16
    %3 = arith.andi %c-129_i16, %c63_i16 : i16
    %4 = arith.index_castui %3 : i16 to index
    %c0_i64 = arith.constant 0 : i64
    %5:2 = scf.if %true -> (tensor<4xi1>, i64) {
      %c0_27 = arith.constant 0 : index
      %inserted_slice = tensor.insert_slice %2 into %2[%c0_27] [4] [1] : tensor<4xi1> into tensor<4xi1>
      %c1_28 = arith.constant 1 : index
      %10 = arith.addi %c1_28, %4 : index
      scf.yield %2, %c0_i64 : tensor<4xi1>, i64
    } else {
      %true_27 = arith.constant true
      %padded = tensor.pad %2 low[1] high[2] {
      ^bb0(%arg2: index):
        tensor.yield %true_27 : i1
      } : tensor<4xi1> to tensor<7xi1>
      %cst_28 = arith.constant 0.44884334693909222 : f64
      %cst_29 = arith.constant 7.000000e+00 : f64
      %10 = arith.addf %cst_28, %cst_29 : f64
      scf.yield %2, %c0_i64 : tensor<4xi1>, i64
    }
    %cst = arith.constant 6.400000e+01 : f32
    %6 = arith.maximumf %cst, %cst : f32
    %cst_0 = arith.constant dense<[[true, false, true, true]]> : tensor<1x4xi1>
    %cst_1 = arith.constant dense<[[-8200362431730059011], [1], [6965680038649270320], [-5695945071159257966]]> : tensor<4x1xi64>
    %7 = tensor.empty() : tensor<1x4xi8>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%2, %cst_0, %cst_1 : tensor<4xi1>, tensor<1x4xi1>, tensor<4x1xi64>) outs(%7 : tensor<1x4xi8>) {
    ^bb0(%in: i1, %in_27: i1, %in_28: i64, %out: i8):
      %10 = linalg.index 0 : index
      %c5_i32 = arith.constant 5 : i32
      %11 = arith.addi %c5_i32, %c5_i32 : i32
      linalg.yield %extracted : i8
    } -> tensor<1x4xi8>
    %c2 = arith.constant 2 : index
    %extracted_2 = tensor.extract %2[%c2] : tensor<4xi1>
    %cst_3 = arith.constant 1.6428215507161683 : f64
    %9 = arith.subf %cst_3, %cst_3 : f64
    %cst_4 = arith.constant dense<[-1.17549421E-38, -1.17549435E-38]> : tensor<2xf32>
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %cst into %cst_4[%c0] : tensor<2xf32>
    %c1 = arith.constant 1 : index
    %inserted_5 = tensor.insert %6 into %inserted[%c1] : tensor<2xf32>
    %cst_6 = arith.constant dense<[2.2250738585072009E-308, -1.250000e-01]> : tensor<2xf64>
    %inserted_7 = tensor.insert %cst_3 into %cst_6[%c0] : tensor<2xf64>
    %inserted_8 = tensor.insert %9 into %inserted_7[%c1] : tensor<2xf64>
    %cst_9 = arith.constant dense<[false, false, true]> : tensor<3xi1>
    %inserted_10 = tensor.insert %true into %cst_9[%c0] : tensor<3xi1>
    %inserted_11 = tensor.insert %0 into %inserted_10[%c1] : tensor<3xi1>
    %c2_12 = arith.constant 2 : index
    %inserted_13 = tensor.insert %extracted_2 into %inserted_11[%c2_12] : tensor<3xi1>
    %cst_14 = arith.constant dense<8> : tensor<3xi16>
    %inserted_15 = tensor.insert %c-129_i16 into %cst_14[%c0] : tensor<3xi16>
    %inserted_16 = tensor.insert %c63_i16 into %inserted_15[%c1] : tensor<3xi16>
    %inserted_17 = tensor.insert %3 into %inserted_16[%c2_12] : tensor<3xi16>
    %inserted_18 = tensor.insert %3 into %inserted_16[%c2_12] : tensor<3xi16>
    %cst_19 = arith.constant dense<[-3, 32767]> : tensor<2xi64>
    %inserted_20 = tensor.insert %c0_i64 into %cst_19[%c0] : tensor<2xi64>
    %inserted_21 = tensor.insert %5#1 into %inserted_20[%c1] : tensor<2xi64>
    %cst_22 = arith.constant dense<1> : tensor<1xi8>
    %inserted_23 = tensor.insert %extracted into %cst_22[%c0] : tensor<1xi8>
    %cst_24 = arith.constant dense<[43, 39]> : tensor<2xindex>
    %inserted_25 = tensor.insert %4 into %cst_24[%c0] : tensor<2xindex>
    %inserted_26 = tensor.insert %c2 into %inserted_25[%c1] : tensor<2xindex>
    return %inserted_5, %inserted_8, %inserted_13, %inserted_17, %inserted_21, %inserted_23, %inserted_26, %cst_22, %cst_24, %inserted_25 : tensor<2xf32>, tensor<2xf64>, tensor<3xi1>, tensor<3xi16>, tensor<2xi64>, tensor<1xi8>, tensor<2xindex>, tensor<1xi8>, tensor<2xindex>, tensor<2xindex>
  }
}
