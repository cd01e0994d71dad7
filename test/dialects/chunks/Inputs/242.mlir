// {"kind": "tensor-calls", "entry": "chunk242", "traits": ["concat", "returned tensor"], "arguments": [["a37", ["tensor", [], "i32"], [0, 0], false], ["a39", ["tensor", [], "i64"], [0, 0], false], ["a41", ["tensor", [], "index"], [0, 7], false], ["a43", ["tensor", [], "index"], [0, 7], false]], "results": [["result0", ["tensor", [2], "i32"], [0, 0], true], ["result1", ["tensor", [1], "i64"], [0, 0], true], ["result2", ["tensor", [2], "index"], [0, 0], true], ["result3", ["tensor", [2, 4, 3], "f64"], [0, 0], true], ["result4", ["tensor", [1], "i32"], [0, 0], true], ["result5", ["tensor", [2, 1], "i64"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d2, d1, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> (d0 * 2)>
module {
  func.func private @chunk242_n1() -> tensor<2x4x3xf64> {
    %c-2_i32 = arith.constant -2 : i32
    %c-2_i32_0 = arith.constant -2 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant 2.500000e+00 : f32
    %c2295854271763062217_i64 = arith.constant 2295854271763062217 : i64
    %0:2 = scf.for %arg0 = %c-2_i32 to %c-2_i32_0 step %c1_i32 iter_args(%arg1 = %cst, %arg2 = %c2295854271763062217_i64) -> (f32, i64)  : i32 {
      scf.yield %cst, %arg2 : f32, i64
    }
    %cst_1 = arith.constant dense<[[[-0.000000e+00, -1.250000e-01, 5.000000e-01], [0.000000e+00, 2.2250738585072009E-308, 2.2250738585072009E-308], [1.000000e+01, 1.600000e+01, 5.000000e-01], [2.2250738585072014E-308, 7.000000e+00, -2.5305261701860629E-166]], [[0.000000e+00, -6.9722999906649576, -0.000000e+00], [-3.750000e-01, -1.7976931348623157E+308, -4.7494813303910659], [-3.750000e-01, 9.9614963619605236E-81, -0.000000e+00], [5.0247109806994946E-74, -1.000000e+00, 0.000000e+00]]]> : tensor<2x4x3xf64>
    %c-2_i8 = arith.constant -2 : i8
    %splat = tensor.splat %c-2_i8 : tensor<4x2x3xi8>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<2x4x3xf64>) outs(%splat : tensor<4x2x3xi8>) {
    ^bb0(%in: f64, %out: i8):
      %c3 = arith.constant 3 : index
      %3 = arith.muli %c3, %c3 : index
      %4 = arith.muli %c-2_i32, %c-2_i32 : i32
      %5 = arith.xori %out, %c-2_i8 : i8
      linalg.yield %5 : i8
    } -> tensor<4x2x3xi8>
    %sum, %overflow = arith.addui_extended %c-2_i8, %c-2_i8 : i8, i1
    %expanded = tensor.expand_shape %cst_1 [[0, 1], [2, 3], [4, 5]] output_shape [1, 2, 1, 4, 1, 3] : tensor<2x4x3xf64> into tensor<1x2x1x4x1x3xf64>
    %low, %high = arith.mului_extended %c-2_i8, %c-2_i8 : i8
    %c0_i8 = arith.constant 0 : i8
    %2 = arith.select %overflow, %c-2_i8, %c0_i8 : i8
    return %cst_1 : tensor<2x4x3xf64>
  }
  func.func private @chunk242_n29(%arg0: tensor<1xi32>, %arg1: tensor<2x1xi64>) {
    %0 = call @chunk242_n1() : () -> tensor<2x4x3xf64>
    %1 = call @chunk242_n1() : () -> tensor<2x4x3xf64>
    %2 = call @chunk242_n1() : () -> tensor<2x4x3xf64>
    %cst = arith.constant 0xFFF0000000000000 : f64
    %3 = arith.minimumf %cst, %cst : f64
    %4 = call @chunk242_n1() : () -> tensor<2x4x3xf64>
    return
  }
  func.func @chunk242(%arg0: tensor<i32>, %arg1: tensor<i64>, %arg2: tensor<index>, %arg3: tensor<index>) -> (tensor<2xi32>, tensor<1xi64>, tensor<2xindex>, tensor<2x4x3xf64>, tensor<1xi32>, tensor<2x1xi64>) {
    %extracted = tensor.extract %arg0[] : tensor<i32>
    %extracted_0 = tensor.extract %arg1[] : tensor<i64>
    %extracted_1 = tensor.extract %arg2[] : tensor<index>
    %extracted_2 = tensor.extract %arg3[] : tensor<index>
    %splat = tensor.splat %extracted_0 : tensor<1xi64>
    %cst = arith.constant dense<0.000000e+00> : tensor<1xf32>
    %cst_3 = arith.constant dense<false> : tensor<1xi1>
    %0 = tensor.empty() : tensor<1xi16>
    %1 = linalg.generic {indexing_maps = [#map2, #map2, #map3, #map2, #map2], iterator_types = ["parallel"]} ins(%splat, %cst, %cst_3, %cst : tensor<1xi64>, tensor<1xf32>, tensor<1xi1>, tensor<1xf32>) outs(%0 : tensor<1xi16>) {
    ^bb0(%in: i64, %in_8: f32, %in_9: i1, %in_10: f32, %out: i16):
      %4 = linalg.index 0 : index
      %c4_i16 = arith.constant 4 : i16
      linalg.yield %c4_i16 : i16
    } -> tensor<1xi16>
    %extracted_slice = tensor.extract_slice %1[0] [1] [1] : tensor<1xi16> to tensor<1xi16>
    %concat = tensor.concat dim(0) %extracted_slice, %extracted_slice : (tensor<1xi16>, tensor<1xi16>) -> tensor<2xi16>
    %2 = arith.subi %extracted, %extracted : i32
    %3 = call @chunk242_n1() : () -> tensor<2x4x3xf64>
    %cst_4 = arith.constant dense<416293922> : tensor<1xi32>
    %cst_5 = arith.constant dense<[[128], [0]]> : tensor<2x1xi64>
    call @chunk242_n29(%cst_4, %cst_5) : (tensor<1xi32>, tensor<2x1xi64>) -> ()
    %from_elements = tensor.from_elements %extracted, %2 : tensor<2xi32>
    %from_elements_6 = tensor.from_elements %extracted_0 : tensor<1xi64>
    %from_elements_7 = tensor.from_elements %extracted_1, %extracted_2 : tensor<2xindex>
    return %from_elements, %from_elements_6, %from_elements_7, %3, %cst_4, %cst_5 : tensor<2xi32>, tensor<1xi64>, tensor<2xindex>, tensor<2x4x3xf64>, tensor<1xi32>, tensor<2x1xi64>
  }
}
