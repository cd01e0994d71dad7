// {"kind": "kernels", "entry": "chunk188", "traits": ["identity"], "arguments": [["a0", ["tensor", [], "f32"], [0, 0], false]], "results": [["result0", ["tensor", [5], "f32"], [0, 0], true], ["result1", ["tensor", [2], "i1"], [0, 0], true], ["result2", ["tensor", [1], "i64"], [0, 0], true], ["result3", ["tensor", [3], "i8"], [0, 0], true], ["result4", ["tensor", [1], "index"], [0, 0], true], ["result5", ["tensor", [3], "i8"], [0, 0], true], ["result6", ["tensor", [3], "i8"], [0, 0], true], ["result7", ["tensor", [1], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d1, d0 * 2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1, d0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
module {
  func.func @chunk188(%arg0: tensor<f32>) -> (tensor<5xf32>, tensor<2xi1>, tensor<1xi64>, tensor<3xi8>, tensor<1xindex>, tensor<3xi8>, tensor<3xi8>, tensor<1xindex>) {
    %extracted = tensor.extract %arg0[] : tensor<f32>
    %cst = arith.constant dense<true> : tensor<3x1xi1>
    %cst_0 = arith.constant dense<[[-52], [0], [2]]> : tensor<3x1xi8>
    %cst_1 = arith.constant dense<[[7.000000e+00], [1.0295170376245394E-70], [3.200000e+01]]> : tensor<3x1xf64>
    %cst_2 = arith.constant dense<[[-127, -1, -736195200]]> : tensor<1x3xi32>
    %cst_3 = arith.constant dense<[32766, -19517, -129]> : tensor<3xi16>
    %0 = linalg.generic {indexing_maps = [#map, #map, #map1, #map2, #map3], iterator_types = ["reduction", "parallel"]} ins(%cst, %cst_0, %cst_1, %cst_2 : tensor<3x1xi1>, tensor<3x1xi8>, tensor<3x1xf64>, tensor<1x3xi32>) outs(%cst_3 : tensor<3xi16>) {
    ^bb0(%in: i1, %in_31: i8, %in_32: f64, %in_33: i32, %out: i16):
      %12 = arith.cmpi sgt, %in, %in : i1
      %13 = arith.maxsi %out, %out : i16
      linalg.yield %13 : i16
    } -> tensor<3xi16>
    %cst_4 = arith.constant 3.486090e+00 : f32
    %1 = arith.mulf %cst_4, %extracted : f32
    %c9_i8 = arith.constant 9 : i8
    %low, %high = arith.mului_extended %c9_i8, %c9_i8 : i8
    %2 = arith.negf %extracted : f32
    %3 = arith.extsi %c9_i8 : i8 to i64
    %cst_5 = arith.constant dense<[-5.000000e-01, -1.000000e+00, 7.000000e+00]> : tensor<3xf64>
    %cst_6 = arith.constant dense<true> : tensor<3xi1>
    %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%cst_5 : tensor<3xf64>) outs(%cst_6 : tensor<3xi1>) {
    ^bb0(%in: f64, %out: i1):
      %12 = linalg.index 0 : index
      %c-2 = arith.constant -2 : index
      %13 = arith.cmpi ult, %c-2, %12 : index
      %cst_31 = arith.constant 4.940660e-324 : f64
      %14 = arith.cmpf oeq, %cst_31, %cst_31 : f64
      %15 = arith.addi %12, %12 : index
      linalg.yield %14 : i1
    } -> tensor<3xi1>
    %cst_7 = arith.constant dense<[-5, 6]> : tensor<2xi8>
    %cst_8 = arith.constant dense<[32767, 0]> : tensor<2xi32>
    %5 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%cst_7 : tensor<2xi8>) outs(%cst_8 : tensor<2xi32>) {
    ^bb0(%in: i8, %out: i32):
      %12 = linalg.index 0 : index
      %13 = arith.mulf %extracted, %2 : f32
      %c-2147483648_i32 = arith.constant -2147483648 : i32
      linalg.yield %c-2147483648_i32 : i32
    } -> tensor<2xi32>
    %6 = tensor.empty() : tensor<3xi1>
    %transposed = linalg.transpose ins(%4 : tensor<3xi1>) outs(%6 : tensor<3xi1>) permutation = [0] 
    %cst_9 = arith.constant dense<[[[-56, 4, -17, 2], [-128, 7, 5, 0], [32, -5, -4, -127]]]> : tensor<1x3x4xi8>
    %cst_10 = arith.constant dense<[[[false], [false], [false]], [[true], [true], [false]], [[false], [true], [false]], [[true], [true], [false]]]> : tensor<4x3x1xi1>
    %cst_11 = arith.constant dense<[[[true, true, true], [true, false, true], [false, false, true], [true, false, false]]]> : tensor<1x4x3xi1>
    %7 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_9, %cst_10 : tensor<1x3x4xi8>, tensor<4x3x1xi1>) outs(%cst_11 : tensor<1x4x3xi1>) {
    ^bb0(%in: i8, %in_31: i1, %out: i1):
      %12 = arith.xori %in_31, %in_31 : i1
      linalg.yield %in_31 : i1
    } -> tensor<1x4x3xi1>
    %false = arith.constant false
    %8 = arith.minsi %false, %false : i1
    %extracted_slice = tensor.extract_slice %cst_10[0, 0, 0] [2, 1, 1] [3, 1, 1] : tensor<4x3x1xi1> to tensor<2x1xi1>
    %9 = arith.minimumf %extracted, %1 : f32
    %10 = arith.minimumf %extracted, %1 : f32
    %c0 = arith.constant 0 : index
    %inserted_slice = tensor.insert_slice %cst_5 into %cst_5[%c0] [3] [1] : tensor<3xf64> into tensor<3xf64>
    %cst_12 = arith.constant dense<false> : tensor<3x3x3xi1>
    %11 = linalg.fill ins(%8 : i1) outs(%cst_12 : tensor<3x3x3xi1>) -> tensor<3x3x3xi1>
    %cst_13 = arith.constant dense<[-3.40282347E+38, 5.000000e-01, -0.000000e+00, -3.750000e-01, 7.000000e+00]> : tensor<5xf32>
    %inserted = tensor.insert %extracted into %cst_13[%c0] : tensor<5xf32>
    %c1 = arith.constant 1 : index
    %inserted_14 = tensor.insert %cst_4 into %inserted[%c1] : tensor<5xf32>
    %c2 = arith.constant 2 : index
    %inserted_15 = tensor.insert %1 into %inserted_14[%c2] : tensor<5xf32>
    %c3 = arith.constant 3 : index
    %inserted_16 = tensor.insert %2 into %inserted_15[%c3] : tensor<5xf32>
    %c4 = arith.constant 4 : index
    %inserted_17 = tensor.insert %9 into %inserted_16[%c4] : tensor<5xf32>
    %cst_18 = arith.constant dense<true> : tensor<2xi1>
    %inserted_19 = tensor.insert %false into %cst_18[%c0] : tensor<2xi1>
    %c1_20 = arith.constant 1 : index
    %inserted_21 = tensor.insert %8 into %inserted_19[%c1_20] : tensor<2xi1>
    %cst_22 = arith.constant dense<-1> : tensor<1xi64>
    %inserted_23 = tensor.insert %3 into %cst_22[%c0] : tensor<1xi64>
    %cst_24 = arith.constant dense<[127, 127, 126]> : tensor<3xi8>
    %inserted_25 = tensor.insert %c9_i8 into %cst_24[%c0] : tensor<3xi8>
    %c1_26 = arith.constant 1 : index
    %inserted_27 = tensor.insert %low into %inserted_25[%c1_26] : tensor<3xi8>
    %inserted_28 = tensor.insert %high into %inserted_27[%c2] : tensor<3xi8>
    %cst_29 = arith.constant dense<26> : tensor<1xindex>
    %inserted_30 = tensor.insert %c0 into %cst_29[%c0] : tensor<1xindex>
    return %inserted_17, %inserted_21, %inserted_23, %inserted_28, %inserted_30, %inserted_25, %inserted_27, %cst_29 : tensor<5xf32>, tensor<2xi1>, tensor<1xi64>, tensor<3xi8>, tensor<1xindex>, tensor<3xi8>, tensor<3xi8>, tensor<1xindex>
  }
}
