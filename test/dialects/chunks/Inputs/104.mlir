// {"kind": "kernels", "entry": "chunk104", "traits": [], "arguments": [["a0", ["tensor", [], "i1"], [0, 0], false], ["a2", ["tensor", [], "i8"], [0, 0], false], ["a4", ["tensor", [3], "i16"], [0, 0], false], ["a5", ["tensor", [], "f32"], [0, 0], false]], "results": [["result0", ["tensor", [5], "f32"], [0, 0], true], ["result1", ["tensor", [2], "f64"], [0, 0], true], ["result2", ["tensor", [3], "i1"], [0, 0], true], ["result3", ["tensor", [2], "i16"], [0, 0], true], ["result4", ["tensor", [2], "i32"], [0, 0], true], ["result5", ["tensor", [1], "i64"], [0, 0], true], ["result6", ["tensor", [1], "i8"], [0, 0], true], ["result7", ["tensor", [4], "index"], [0, 0], true], ["result8", ["tensor", [2], "i8"], [0, 0], true], ["result9", ["tensor", [], "i16"], [0, 0], true], ["result10", ["tensor", [], "i16"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d1, d0)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @chunk104(%arg0: tensor<i1>, %arg1: tensor<i8>, %arg2: tensor<3xi16>, %arg3: tensor<f32>) -> (tensor<5xf32>, tensor<2xf64>, tensor<3xi1>, tensor<2xi16>, tensor<2xi32>, tensor<1xi64>, tensor<1xi8>, tensor<4xindex>, tensor<2xi8>, tensor<i16>, tensor<i16>) {
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %extracted_0 = tensor.extract %arg1[] : tensor<i8>
    %extracted_1 = tensor.extract %arg3[] : tensor<f32>
    %0 = linalg.min ins(%arg2, %arg2 : tensor<3xi16>, tensor<3xi16>) outs(%arg2 : tensor<3xi16>) -> tensor<3xi16>
    %1 = linalg.min ins(%arg2, %arg2 : tensor<3xi16>, tensor<3xi16>) outs(%arg2 : tensor<3xi16>) -> tensor<3xi16>
    %2 = arith.select %extracted, %extracted_1, %extracted_1 : f32
    %cst = arith.constant -0.000000e+00 : f64
    %3 = arith.divf %cst, %cst : f64
    %4 = arith.minimumf %2, %2 : f32
    %c0_i16 = arith.constant 0 : i16
    %padded = tensor.pad %arg2 low[0] high[1] {
    ^bb0(%arg4: index):
      tensor.yield %c0_i16 : i16
    } : tensor<3xi16> to tensor<4xi16>
    %cst_2 = arith.constant dense<[false, true]> : tensor<2xi1>
    %cst_3 = arith.constant dense<27392> : tensor<i16>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%cst_2, %cst_2 : tensor<2xi1>, tensor<2xi1>) outs(%cst_3 : tensor<i16>) {
    ^bb0(%in: i1, %in_19: i1, %out: i16):
      %c7_i16 = arith.constant 7 : i16
      %13 = arith.remui %c0_i16, %c7_i16 : i16
      %c4 = arith.constant 4 : index
      %c-1 = arith.constant -1 : index
      %14 = arith.cmpi uge, %c4, %c-1 : index
      %15 = arith.mulf %3, %3 : f64
      %16 = arith.muli %out, %13 : i16
      linalg.yield %16 : i16
    } -> tensor<i16>
    %c8_i32 = arith.constant 8 : i32
    %6 = arith.uitofp %c8_i32 : i32 to f32
    %c0 = arith.constant 0 : index
    %extracted_4 = tensor.extract %0[%c0] : tensor<3xi16>
    %7 = linalg.add ins(%5, %5 : tensor<i16>, tensor<i16>) outs(%cst_3 : tensor<i16>) -> tensor<i16>
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %splat = tensor.splat %c-2147483648_i32 : tensor<2xi32>
    %splat_5 = tensor.splat %2 : tensor<2xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%splat, %cst_2 : tensor<2xi32>, tensor<2xi1>) outs(%splat_5 : tensor<2xf32>) {
    ^bb0(%in: i32, %in_19: i1, %out: f32):
      %13 = arith.cmpi ugt, %extracted_0, %extracted_0 : i8
      %cst_20 = arith.constant -0.253052384 : f32
      linalg.yield %cst_20 : f32
    } -> tensor<2xf32>
    %splat_6 = tensor.splat %extracted_0 : tensor<1x2xi8>
    %c0_i64 = arith.constant 0 : i64
    %splat_7 = tensor.splat %c0_i64 : tensor<2x1xi64>
    %cst_8 = arith.constant dense<[6, 1]> : tensor<2xi8>
    %9 = linalg.generic {indexing_maps = [#map4, #map5, #map1], iterator_types = ["parallel", "reduction"]} ins(%splat_6, %splat_7 : tensor<1x2xi8>, tensor<2x1xi64>) outs(%cst_8 : tensor<2xi8>) {
    ^bb0(%in: i8, %in_19: i64, %out: i8):
      %cst_20 = arith.constant 1.000000e+00 : f64
      %13 = arith.mulf %cst, %cst_20 : f64
      %c8 = arith.constant 8 : index
      %c6 = arith.constant 6 : index
      %14 = arith.subi %c8, %c6 : index
      %15 = arith.addi %out, %in : i8
      linalg.yield %15 : i8
    } -> tensor<2xi8>
    %cst_9 = arith.constant -0.000000e+00 : f32
    %10 = arith.cmpf oeq, %cst_9, %cst_9 : f32
    %c0_10 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %11:2 = scf.for %arg4 = %c0_10 to %c3 step %c1 iter_args(%arg5 = %extracted, %arg6 = %5) -> (i1, tensor<i16>) {
      %13 = tensor.empty() : tensor<2x1xi64>
      %14 = linalg.add ins(%splat_7, %splat_7 : tensor<2x1xi64>, tensor<2x1xi64>) outs(%13 : tensor<2x1xi64>) -> tensor<2x1xi64>
      scf.yield %10, %7 : i1, tensor<i16>
    }
    %12 = linalg.max ins(%11#1, %11#1 : tensor<i16>, tensor<i16>) outs(%5 : tensor<i16>) -> tensor<i16>
    %from_elements = tensor.from_elements %extracted_1, %2, %4, %6, %cst_9 : tensor<5xf32>
    %from_elements_11 = tensor.from_elements %cst, %3 : tensor<2xf64>
    %from_elements_12 = tensor.from_elements %extracted, %10, %11#0 : tensor<3xi1>
    %from_elements_13 = tensor.from_elements %extracted, %10, %11#0 : tensor<3xi1>
    %from_elements_14 = tensor.from_elements %c0_i16, %extracted_4 : tensor<2xi16>
    %from_elements_15 = tensor.from_elements %c8_i32, %c-2147483648_i32 : tensor<2xi32>
    %from_elements_16 = tensor.from_elements %c0_i64 : tensor<1xi64>
    %from_elements_17 = tensor.from_elements %extracted_0 : tensor<1xi8>
    %from_elements_18 = tensor.from_elements %c0, %c0_10, %c1, %c3 : tensor<4xindex>
    return %from_elements, %from_elements_11, %from_elements_12, %from_elements_14, %from_elements_15, %from_elements_16, %from_elements_17, %from_elements_18, %9, %11#1, %12 : tensor<5xf32>, tensor<2xf64>, tensor<3xi1>, tensor<2xi16>, tensor<2xi32>, tensor<1xi64>, tensor<1xi8>, tensor<4xindex>, tensor<2xi8>, tensor<i16>, tensor<i16>
  }
}
