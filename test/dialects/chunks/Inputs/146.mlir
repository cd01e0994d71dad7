// {"kind": "kernels", "entry": "chunk146", "traits": ["identity"], "arguments": [["a0", ["tensor", [1, 3], "i1"], [0, 0], false], ["a1", ["tensor", [], "i1"], [0, 0], false], ["a3", ["tensor", [], "i32"], [0, 0], false], ["a5", ["tensor", [], "index"], [0, 7], false], ["a7", ["tensor", [], "index"], [0, 7], false]], "results": [["result0", ["tensor", [3], "f64"], [0, 0], true], ["result1", ["tensor", [1], "i1"], [0, 0], true], ["result2", ["tensor", [1], "i16"], [0, 0], true], ["result3", ["tensor", [4], "i32"], [0, 0], true], ["result4", ["tensor", [3], "i64"], [0, 0], true], ["result5", ["tensor", [1], "i8"], [0, 0], true], ["result6", ["tensor", [6], "index"], [0, 0], true], ["result7", ["tensor", [2, 3], "i32"], [0, 0], true], ["result8", ["tensor", [], "f64"], [0, 0], true], ["result9", ["tensor", [], "f64"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0)>
module {
  func.func @chunk146(%arg0: tensor<1x3xi1>, %arg1: tensor<i1>, %arg2: tensor<i32>, %arg3: tensor<index>, %arg4: tensor<index>) -> (tensor<3xf64>, tensor<1xi1>, tensor<1xi16>, tensor<4xi32>, tensor<3xi64>, tensor<1xi8>, tensor<6xindex>, tensor<2x3xi32>, tensor<f64>, tensor<f64>) {
    %extracted = tensor.extract %arg1[] : tensor<i1>
    %extracted_0 = tensor.extract %arg2[] : tensor<i32>
    %extracted_1 = tensor.extract %arg3[] : tensor<index>
    %extracted_2 = tensor.extract %arg4[] : tensor<index>
    %c-5_i32 = arith.constant -5 : i32
    %splat = tensor.splat %c-5_i32 : tensor<2x3xi32>
    %c-1_i32 = arith.constant -1 : i32
    %splat_3 = tensor.splat %c-1_i32 : tensor<3x3xi32>
    %0 = linalg.matmul ins(%splat, %splat_3 : tensor<2x3xi32>, tensor<3x3xi32>) outs(%splat : tensor<2x3xi32>) -> tensor<2x3xi32>
    %c2 = arith.constant 2 : index
    %1 = arith.ceildivsi %extracted_1, %c2 : index
    %c8_i32 = arith.constant 8 : i32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %c8_i32 into %0[%c1, %c0] : tensor<2x3xi32>
    %cst = arith.constant 4.940660e-324 : f64
    %2 = arith.negf %cst : f64
    %splat_4 = tensor.splat %2 : tensor<3x3x2xf64>
    %cst_5 = arith.constant dense<[[[256, 2], [4, 9223372036854775807], [32769, 9]], [[3, 9223372036854775807], [8740759498940542487, 2], [7, 128]], [[-4, 986464035300719038], [2147483647, 6], [2, -5]]]> : tensor<3x3x2xi64>
    %c-80_i8 = arith.constant -80 : i8
    %c-80_i8_6 = arith.constant -80 : i8
    %splat_7 = tensor.splat %c-80_i8 : tensor<3xi8>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel", "reduction", "reduction"]} ins(%splat_4, %cst_5 : tensor<3x3x2xf64>, tensor<3x3x2xi64>) outs(%splat_7 : tensor<3xi8>) {
    ^bb0(%in: f64, %in_17: i64, %out: i8):
      %10 = arith.minui %in_17, %in_17 : i64
      %11 = arith.cmpi ult, %extracted, %extracted : i1
      %c7_i8 = arith.constant 7 : i8
      %12 = arith.andi %c-80_i8, %c7_i8 : i8
      %13 = arith.index_castui %12 : i8 to index
      %14 = arith.xori %out, %c7_i8 : i8
      linalg.yield %14 : i8
    } -> tensor<3xi8>
    %c0_i16 = arith.constant 0 : i16
    %4 = arith.extsi %c0_i16 : i16 to i64
    %5 = arith.extsi %c0_i16 : i16 to i64
    %6 = arith.muli %4, %5 overflow<nsw> : i64
    %cst_8 = arith.constant dense<[[-4.940660e-324], [1.000000e+01], [2.000000e+00]]> : tensor<3x1xf64>
    %7 = arith.select %extracted, %cst, %cst : f64
    %cst_9 = arith.constant dense<7.000000e+00> : tensor<1x1xf64>
    %8 = linalg.matmul ins(%cst_9, %cst_9 : tensor<1x1xf64>, tensor<1x1xf64>) outs(%cst_9 : tensor<1x1xf64>) -> tensor<1x1xf64>
    %9 = tensor.empty() : tensor<2x3xi32>
    %transposed = linalg.transpose ins(%inserted : tensor<2x3xi32>) outs(%9 : tensor<2x3xi32>) permutation = [0, 1] 
    %splat_10 = tensor.splat %cst : tensor<f64>
    %reduced = linalg.reduce ins(%cst_9 : tensor<1x1xf64>) outs(%splat_10 : tensor<f64>) dimensions = [0, 1] 
      (%in: f64, %init: f64) {
        %10 = arith.addf %in, %init : f64
        linalg.yield %10 : f64
      }
    %from_elements = tensor.from_elements %cst, %2, %7 : tensor<3xf64>
    %from_elements_11 = tensor.from_elements %extracted : tensor<1xi1>
    %from_elements_12 = tensor.from_elements %c0_i16 : tensor<1xi16>
    %from_elements_13 = tensor.from_elements %extracted_0, %c-5_i32, %c-1_i32, %c8_i32 : tensor<4xi32>
    %from_elements_14 = tensor.from_elements %4, %5, %6 : tensor<3xi64>
    %from_elements_15 = tensor.from_elements %c-80_i8 : tensor<1xi8>
    %from_elements_16 = tensor.from_elements %extracted_1, %extracted_2, %c2, %1, %c1, %c0 : tensor<6xindex>
    return %from_elements, %from_elements_11, %from_elements_12, %from_elements_13, %from_elements_14, %from_elements_15, %from_elements_16, %transposed, %splat_10, %reduced : tensor<3xf64>, tensor<1xi1>, tensor<1xi16>, tensor<4xi32>, tensor<3xi64>, tensor<1xi8>, tensor<6xindex>, tensor<2x3xi32>, tensor<f64>, tensor<f64>
  }
}
