// {"kind": "kernels", "entry": "chunk20", "traits": [], "arguments": [["a0", ["tensor", [], "i8"], [0, 0], false], ["a1", ["tensor", [], "f32"], [0, 0], false], ["a2", ["tensor", [], "i8"], [0, 0], false], ["a4", ["tensor", [], "i1"], [0, 0], false], ["a6", ["tensor", [1, 4], "f64"], [0, 0], false]], "results": [["result0", ["tensor", [4], "f32"], [0, 0], true], ["result1", ["tensor", [3], "f64"], [0, 0], true], ["result2", ["tensor", [1], "i1"], [0, 0], true], ["result3", ["tensor", [1], "i32"], [0, 0], true], ["result4", ["tensor", [2], "i64"], [0, 0], true], ["result5", ["tensor", [2], "i8"], [0, 0], true], ["result6", ["tensor", [6], "index"], [0, 0], true], ["result7", ["tensor", [3, 2, 1], "i32"], [0, 0], true], ["result8", ["tensor", [1, 4], "f32"], [0, 0], true], ["result9", ["tensor", [], "i8"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @chunk20(%arg0: tensor<i8>, %arg1: tensor<f32>, %arg2: tensor<i8>, %arg3: tensor<i1>, %arg4: tensor<1x4xf64>) -> (tensor<4xf32>, tensor<3xf64>, tensor<1xi1>, tensor<1xi32>, tensor<2xi64>, tensor<2xi8>, tensor<6xindex>, tensor<3x2x1xi32>, tensor<1x4xf32>, tensor<i8>) {
    %extracted = tensor.extract %arg2[] : tensor<i8>
    %extracted_0 = tensor.extract %arg3[] : tensor<i1>
    %cst = arith.constant -1.000000e+00 : f32
    %splat = tensor.splat %cst : tensor<1x4xf32>
    %cst_1 = arith.constant dense<[[-5.000000e-01], [2.500000e+00], [0.000000e+00], [-4.000000e+00]]> : tensor<4x1xf64>
    %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%splat : tensor<1x4xf32>) outs(%cst_1 : tensor<4x1xf64>) {
    ^bb0(%in: f32, %out: f64):
      %15 = arith.addf %out, %out : f64
      linalg.yield %15 : f64
    } -> tensor<4x1xf64>
    %cst_2 = arith.constant -1.000000e+00 : f64
    %splat_3 = tensor.splat %cst_2 : tensor<4x1xf64>
    %1 = linalg.sub ins(%cst_1, %splat_3 : tensor<4x1xf64>, tensor<4x1xf64>) outs(%cst_1 : tensor<4x1xf64>) -> tensor<4x1xf64>
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %2:2 = scf.for %arg5 = %c2 to %c10 step %c3 iter_args(%arg6 = %extracted, %arg7 = %1) -> (i8, tensor<4x1xf64>) {
      %15 = linalg.mul ins(%arg7, %0 : tensor<4x1xf64>, tensor<4x1xf64>) outs(%splat_3 : tensor<4x1xf64>) -> tensor<4x1xf64>
      scf.yield %extracted, %15 : i8, tensor<4x1xf64>
    }
    %cst_4 = arith.constant -3.05316869E+18 : f32
    %3 = arith.mulf %cst_4, %cst : f32
    %splat_5 = tensor.splat %cst : tensor<1xf32>
    %reduced = linalg.reduce ins(%splat : tensor<1x4xf32>) outs(%splat_5 : tensor<1xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %15 = arith.addf %in, %init : f32
        linalg.yield %15 : f32
      }
    %splat_6 = tensor.splat %extracted_0 : tensor<i1>
    %c-612544461_i32 = arith.constant -612544461 : i32
    %splat_7 = tensor.splat %c-612544461_i32 : tensor<2xi32>
    %c-257_i64 = arith.constant -257 : i64
    %splat_8 = tensor.splat %c-257_i64 : tensor<3x2xi64>
    %cst_9 = arith.constant dense<1.000000e+00> : tensor<f64>
    %4 = linalg.generic {indexing_maps = [#map2, #map3, #map, #map2], iterator_types = ["reduction", "reduction"]} ins(%splat_6, %splat_7, %splat_8 : tensor<i1>, tensor<2xi32>, tensor<3x2xi64>) outs(%cst_9 : tensor<f64>) {
    ^bb0(%in: i1, %in_19: i32, %in_20: i64, %out: f64):
      %15 = linalg.index 0 : index
      %16 = arith.mulf %out, %cst_2 : f64
      linalg.yield %16 : f64
    } -> tensor<f64>
    %5 = tensor.empty() : tensor<4x1xf64>
    %6 = linalg.min ins(%0, %1 : tensor<4x1xf64>, tensor<4x1xf64>) outs(%5 : tensor<4x1xf64>) -> tensor<4x1xf64>
    %7 = arith.mulf %cst_2, %cst_2 : f64
    %8 = tensor.empty() : tensor<2x3xi32>
    %broadcasted = linalg.broadcast ins(%splat_7 : tensor<2xi32>) outs(%8 : tensor<2x3xi32>) dimensions = [1] 
    %splat_10 = tensor.splat %c-612544461_i32 : tensor<3x2x1xi32>
    %broadcasted_11 = linalg.broadcast ins(%splat_7 : tensor<2xi32>) outs(%splat_10 : tensor<3x2x1xi32>) dimensions = [0, 2] 
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %9 = arith.remui %c10, %c4 : index
    %inserted = tensor.insert %cst into %splat[%c0, %9] : tensor<1x4xf32>
    %10 = arith.minsi %c-257_i64, %c-257_i64 : i64
    %11 = arith.minsi %c-257_i64, %c-257_i64 : i64
    %12 = tensor.empty() : tensor<i8>
    %13 = linalg.copy ins(%arg0 : tensor<i8>) outs(%12 : tensor<i8>) -> tensor<i8>
    %cst_12 = arith.constant 7.000000e+00 : f32
    %14 = arith.extf %cst_12 : f32 to f64
    %from_elements = tensor.from_elements %cst, %cst_4, %3, %cst_12 : tensor<4xf32>
    %from_elements_13 = tensor.from_elements %cst_2, %7, %14 : tensor<3xf64>
    %from_elements_14 = tensor.from_elements %extracted_0 : tensor<1xi1>
    %from_elements_15 = tensor.from_elements %c-612544461_i32 : tensor<1xi32>
    %from_elements_16 = tensor.from_elements %c-257_i64, %10 : tensor<2xi64>
    %from_elements_17 = tensor.from_elements %extracted, %2#0 : tensor<2xi8>
    %from_elements_18 = tensor.from_elements %c2, %c3, %c10, %c0, %c4, %9 : tensor<6xindex>
    return %from_elements, %from_elements_13, %from_elements_14, %from_elements_15, %from_elements_16, %from_elements_17, %from_elements_18, %broadcasted_11, %inserted, %13 : tensor<4xf32>, tensor<3xf64>, tensor<1xi1>, tensor<1xi32>, tensor<2xi64>, tensor<2xi8>, tensor<6xindex>, tensor<3x2x1xi32>, tensor<1x4xf32>, tensor<i8>
  }
}
