// {"kind": "kernels", "entry": "chunk230", "traits": [], "arguments": [["a0", ["tensor", [1, 3], "i16"], [0, 0], false], ["a1", ["tensor", [], "i16"], [0, 0], false], ["a3", ["tensor", [], "i8"], [0, 0], false]], "results": [["result0", ["tensor", [8], "f64"], [0, 0], true], ["result1", ["tensor", [1], "i1"], [0, 0], true], ["result2", ["tensor", [2], "i16"], [0, 0], true], ["result3", ["tensor", [2], "i8"], [0, 0], true], ["result4", ["tensor", [5], "index"], [0, 0], true], ["result5", ["tensor", [5], "index"], [0, 0], true], ["result6", ["tensor", [5], "index"], [0, 0], true], ["result7", ["tensor", [5], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d1 * 2)>
module {
  func.func @chunk230(%arg0: tensor<1x3xi16>, %arg1: tensor<i16>, %arg2: tensor<i8>) -> (tensor<8xf64>, tensor<1xi1>, tensor<2xi16>, tensor<2xi8>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>) {
    %extracted = tensor.extract %arg1[] : tensor<i16>
    %extracted_0 = tensor.extract %arg2[] : tensor<i8>
    %cst = arith.constant dense<7> : tensor<3x3xi64>
    %0 = linalg.matmul ins(%cst, %cst : tensor<3x3xi64>, tensor<3x3xi64>) outs(%cst : tensor<3x3xi64>) -> tensor<3x3xi64>
    %1 = linalg.min ins(%cst, %cst : tensor<3x3xi64>, tensor<3x3xi64>) outs(%cst : tensor<3x3xi64>) -> tensor<3x3xi64>
    %2 = tensor.empty() : tensor<3x3xi64>
    %3 = linalg.max ins(%cst, %1 : tensor<3x3xi64>, tensor<3x3xi64>) outs(%2 : tensor<3x3xi64>) -> tensor<3x3xi64>
    %4 = linalg.min ins(%0, %1 : tensor<3x3xi64>, tensor<3x3xi64>) outs(%1 : tensor<3x3xi64>) -> tensor<3x3xi64>
    %c3 = arith.constant 3 : index
    %c3_1 = arith.constant 3 : index
    %5 = arith.ceildivui %c3, %c3_1 : index
    %cst_2 = arith.constant dense<2> : tensor<i8>
    %cst_3 = arith.constant -47.700395539960859 : f64
    %6 = arith.cmpf ord, %cst_3, %cst_3 : f64
    %cst_4 = arith.constant 1.000000e+00 : f64
    %7 = arith.select %6, %cst_3, %cst_4 : f64
    %cst_5 = arith.constant 0.000000e+00 : f64
    %8 = arith.maximumf %7, %cst_5 : f64
    %cst_6 = arith.constant 2.480000e+02 : f64
    %9 = arith.minimumf %8, %cst_6 : f64
    %10 = arith.fptoui %9 : f64 to i16
    %extracted_slice = tensor.extract_slice %3[0, 0] [3, 2] [1, 2] : tensor<3x3xi64> to tensor<3x2xi64>
    %cst_7 = arith.constant dense<[[8, 0, -3], [0, 1, 0], [126, 123, 3], [-127, -127, 0]]> : tensor<4x3xi8>
    %cst_8 = arith.constant dense<[[2.500000e+00, 0.000000e+00, 0.000000e+00, -6.2666887E+25], [2.0392828, 1.000000e+00, 2.500000e+00, 0.181592301], [7.000000e+00, 1.000000e+00, -1.401300e-45, 0.132766306]]> : tensor<3x4xf32>
    %cst_9 = arith.constant dense<[-5, 9, 6, -4, 114, -56]> : tensor<6xi8>
    %cst_10 = arith.constant dense<[[-84429830, -2029663414, 520338701], [-1, 7, 0], [-4, 32768, 0], [-128, 2, 2147483646]]> : tensor<4x3xi32>
    %cst_11 = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map, #map3], iterator_types = ["parallel", "reduction"]} ins(%cst_7, %cst_8, %cst_9, %cst_10 : tensor<4x3xi8>, tensor<3x4xf32>, tensor<6xi8>, tensor<4x3xi32>) outs(%cst_11 : tensor<4xi1>) {
    ^bb0(%in: i8, %in_43: f32, %in_44: i8, %in_45: i32, %out: i1):
      %16 = arith.extui %6 : i1 to i32
      %false = arith.constant false
      %17 = arith.muli %out, %false : i1
      linalg.yield %17 : i1
    } -> tensor<4xi1>
    %extracted_12 = tensor.extract %cst_9[%c3] : tensor<6xi8>
    %cst_13 = arith.constant dense<[7, 7, -5541228783401470553]> : tensor<3xi64>
    %cst_14 = arith.constant dense<4> : tensor<7xi16>
    %cst_15 = arith.constant dense<2147483647> : tensor<3x4xi32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_13, %cst_14, %cst_15 : tensor<3xi64>, tensor<7xi16>, tensor<3x4xi32>) outs(%cst_7 : tensor<4x3xi8>) {
    ^bb0(%in: i64, %in_43: i16, %in_44: i32, %out: i8):
      %16 = arith.muli %out, %extracted_0 : i8
      linalg.yield %16 : i8
    } -> tensor<4x3xi8>
    %cst_16 = arith.constant dense<[[0xFF800000, 1.401300e-45, 1.17549435E-38], [3.94577074, 4.000000e+00, -0.000000e+00]]> : tensor<2x3xf32>
    %cst_17 = arith.constant dense<[[-1.17549421E-38, 4.82431537E+22], [0.158233851, 2.500000e+00], [0.000000e+00, -1.000000e+00]]> : tensor<3x2xf32>
    %cst_18 = arith.constant dense<7.000000e+00> : tensor<2x2xf32>
    %13 = linalg.matmul ins(%cst_16, %cst_17 : tensor<2x3xf32>, tensor<3x2xf32>) outs(%cst_18 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %14 = arith.negf %9 : f64
    %c5 = arith.constant 5 : index
    %15 = arith.divsi %5, %c5 : index
    %cst_19 = arith.constant dense<[1.000000e+01, 1.5964861337074663E-44, -0.000000e+00, -1.000000e+00, 5.000000e-01, 1.000000e+01, -1.000000e+00, 1.000000e+01]> : tensor<8xf64>
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %cst_3 into %cst_19[%c0] : tensor<8xf64>
    %c1 = arith.constant 1 : index
    %inserted_20 = tensor.insert %cst_4 into %inserted[%c1] : tensor<8xf64>
    %c2 = arith.constant 2 : index
    %inserted_21 = tensor.insert %7 into %inserted_20[%c2] : tensor<8xf64>
    %inserted_22 = tensor.insert %7 into %inserted_20[%c2] : tensor<8xf64>
    %inserted_23 = tensor.insert %cst_5 into %inserted_21[%c3] : tensor<8xf64>
    %c4 = arith.constant 4 : index
    %inserted_24 = tensor.insert %8 into %inserted_23[%c4] : tensor<8xf64>
    %inserted_25 = tensor.insert %cst_6 into %inserted_24[%c5] : tensor<8xf64>
    %c6 = arith.constant 6 : index
    %inserted_26 = tensor.insert %9 into %inserted_25[%c6] : tensor<8xf64>
    %c7 = arith.constant 7 : index
    %inserted_27 = tensor.insert %14 into %inserted_26[%c7] : tensor<8xf64>
    %cst_28 = arith.constant dense<true> : tensor<1xi1>
    %inserted_29 = tensor.insert %6 into %cst_28[%c0] : tensor<1xi1>
    %cst_30 = arith.constant dense<[-1, 1]> : tensor<2xi16>
    %inserted_31 = tensor.insert %extracted into %cst_30[%c0] : tensor<2xi16>
    %inserted_32 = tensor.insert %10 into %inserted_31[%c1] : tensor<2xi16>
    %cst_33 = arith.constant dense<[1, -1]> : tensor<2xi8>
    %inserted_34 = tensor.insert %extracted_0 into %cst_33[%c0] : tensor<2xi8>
    %inserted_35 = tensor.insert %extracted_12 into %inserted_34[%c1] : tensor<2xi8>
    %cst_36 = arith.constant dense<[-3, 49, 61, 81, 50]> : tensor<5xindex>
    %inserted_37 = tensor.insert %c3 into %cst_36[%c0] : tensor<5xindex>
    %inserted_38 = tensor.insert %c3_1 into %inserted_37[%c1] : tensor<5xindex>
    %c2_39 = arith.constant 2 : index
    %inserted_40 = tensor.insert %5 into %inserted_38[%c2_39] : tensor<5xindex>
    %inserted_41 = tensor.insert %c5 into %inserted_40[%c3] : tensor<5xindex>
    %inserted_42 = tensor.insert %15 into %inserted_41[%c4] : tensor<5xindex>
    return %inserted_27, %inserted_29, %inserted_32, %inserted_35, %inserted_42, %inserted_38, %inserted_40, %inserted_41 : tensor<8xf64>, tensor<1xi1>, tensor<2xi16>, tensor<2xi8>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>
  }
}
