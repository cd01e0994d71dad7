// {"kind": "kernels", "entry": "chunk272", "traits": [], "arguments": [["a0", ["tensor", [], "i16"], [0, 0], false], ["a2", ["tensor", [], "i16"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f64"], [0, 0], true], ["result1", ["tensor", [2], "i1"], [0, 0], true], ["result2", ["tensor", [2], "i16"], [0, 0], true], ["result3", ["tensor", [2], "i32"], [0, 0], true], ["result4", ["tensor", [2], "index"], [0, 0], true], ["result5", ["tensor", [3, 3, 4], "i16"], [0, 0], true], ["result6", ["tensor", [3], "i16"], [0, 0], true], ["result7", ["tensor", [3], "i16"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d2, d1, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0)>
module {
  func.func @chunk272(%arg0: tensor<i16>, %arg1: tensor<i16>) -> (tensor<2xf64>, tensor<2xi1>, tensor<2xi16>, tensor<2xi32>, tensor<2xindex>, tensor<3x3x4xi16>, tensor<3xi16>, tensor<3xi16>) {
    %extracted = tensor.extract %arg0[] : tensor<i16>
    %extracted_0 = tensor.extract %arg1[] : tensor<i16>
    %cst = arith.constant -0.000000e+00 : f64
    %0 = arith.negf %cst : f64
    %cst_1 = arith.constant dense<[[[0], [2]], [[126], [127]], [[-18], [2]]]> : tensor<3x2x1xi8>
    %cst_2 = arith.constant dense<[[[1], [8], [-2]], [[2147483647], [-5], [-3]]]> : tensor<2x3x1xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<3x2x1xi8>) outs(%cst_2 : tensor<2x3x1xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.divf %0, %0 : f64
      %c-256_i32 = arith.constant -256 : i32
      linalg.yield %c-256_i32 : i32
    } -> tensor<2x3x1xi32>
    %c5 = arith.constant 5 : index
    %2 = arith.muli %c5, %c5 : index
    %cst_3 = arith.constant dense<[[3, 3, 124], [-127, -4, 9], [-127, 64, -117], [0, 9, 0]]> : tensor<4x3xi8>
    %cst_4 = arith.constant dense<[[2.500000e+00, -3.750000e-01, 2.500000e+00], [-1.000000e+00, -1.17549435E-38, 1.401300e-45], [0x7FC00000, 1.000000e+00, -1.401300e-45], [-6.400000e+01, -0.000000e+00, 0.000000e+00]]> : tensor<4x3xf32>
    %cst_5 = arith.constant dense<[[-1.000000e+00, -2.7190352106865836E-290, -2.000000e+00], [5.000000e-01, 7.000000e+00, 5.000000e-01], [-1.7976931348623157E+308, -2.1731341203141257E+235, 2.2250738585072009E-308], [0xFFF0000000000000, 7.000000e+00, 1.250000e-01]]> : tensor<4x3xf64>
    %cst_6 = arith.constant dense<[[256, 255, -426643682], [-127, 0, -1070918322], [0, 1, 6], [255, 9, 32769]]> : tensor<4x3xi32>
    %3 = tensor.empty() : tensor<3x4xi1>
    %4 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_3, %cst_4, %cst_5, %cst_6 : tensor<4x3xi8>, tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xi32>) outs(%3 : tensor<3x4xi1>) {
    ^bb0(%in: i8, %in_15: f32, %in_16: f64, %in_17: i32, %out: i1):
      %8 = arith.cmpf ord, %in_15, %in_15 : f32
      %cst_18 = arith.constant 1.000000e+00 : f32
      %9 = arith.select %8, %in_15, %cst_18 : f32
      %cst_19 = arith.constant -1.280000e+02 : f32
      %10 = arith.maximumf %9, %cst_19 : f32
      %cst_20 = arith.constant 1.270000e+02 : f32
      %11 = arith.minimumf %10, %cst_20 : f32
      %12 = arith.fptosi %11 : f32 to i64
      %13 = arith.fptosi %11 : f32 to i64
      %14 = arith.minui %in, %in : i8
      linalg.yield %8 : i1
    } -> tensor<3x4xi1>
    %false = arith.constant false
    %5 = arith.cmpi eq, %false, %false : i1
    %c31_i32 = arith.constant 31 : i32
    %6 = arith.shli %c31_i32, %c31_i32 : i32
    %cst_7 = arith.constant dense<true> : tensor<4x3xi1>
    %transposed = linalg.transpose ins(%4 : tensor<3x4xi1>) outs(%cst_7 : tensor<4x3xi1>) permutation = [1, 0] 
    %cst_8 = arith.constant dense<[1.401300e-45, 12.1819515, 7.000000e+00]> : tensor<3xf32>
    %cst_9 = arith.constant dense<[[[0, 127, 2, -17178], [-5, -1, -1, 2], [-4, 1, 32766, 4]], [[21258, -255, 2, -1], [-32767, -32768, 32597, -2799], [-257, -129, 256, -32767]], [[32767, 32766, 255, -1], [1, -6665, -32768, 4], [15024, 32766, -26138, 7]]]> : tensor<3x3x4xi16>
    %cst_10 = arith.constant dense<7> : tensor<3xi16>
    %7 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "reduction", "reduction"]} ins(%cst_8, %cst_9 : tensor<3xf32>, tensor<3x3x4xi16>) outs(%cst_10 : tensor<3xi16>) {
    ^bb0(%in: f32, %in_15: i16, %out: i16):
      %8 = arith.maxsi %out, %in_15 : i16
      linalg.yield %8 : i16
    } -> tensor<3xi16>
    %from_elements = tensor.from_elements %cst, %0 : tensor<2xf64>
    %from_elements_11 = tensor.from_elements %false, %5 : tensor<2xi1>
    %from_elements_12 = tensor.from_elements %extracted, %extracted_0 : tensor<2xi16>
    %from_elements_13 = tensor.from_elements %c31_i32, %6 : tensor<2xi32>
    %from_elements_14 = tensor.from_elements %c5, %2 : tensor<2xindex>
    return %from_elements, %from_elements_11, %from_elements_12, %from_elements_13, %from_elements_14, %cst_9, %cst_10, %7 : tensor<2xf64>, tensor<2xi1>, tensor<2xi16>, tensor<2xi32>, tensor<2xindex>, tensor<3x3x4xi16>, tensor<3xi16>, tensor<3xi16>
  }
}
