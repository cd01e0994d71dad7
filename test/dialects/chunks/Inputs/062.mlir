// {"kind": "kernels", "entry": "chunk62", "traits": [], "arguments": [["a0", ["tensor", [], "index"], [0, 7], false], ["a2", ["tensor", [], "index"], [0, 7], false], ["a4", ["tensor", [], "f64"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f64"], [0, 0], true], ["result1", ["tensor", [1], "i1"], [0, 0], true], ["result2", ["tensor", [4], "i32"], [0, 0], true], ["result3", ["tensor", [1], "i64"], [0, 0], true], ["result4", ["tensor", [5], "index"], [0, 0], true], ["result5", ["tensor", [5], "index"], [0, 0], true], ["result6", ["tensor", [5], "index"], [0, 0], true], ["result7", ["tensor", [5], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1, d0 * 2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> ()>
module {
  func.func @chunk62(%arg0: tensor<index>, %arg1: tensor<index>, %arg2: tensor<f64>) -> (tensor<2xf64>, tensor<1xi1>, tensor<4xi32>, tensor<1xi64>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>) {
    %extracted = tensor.extract %arg0[] : tensor<index>
    %extracted_0 = tensor.extract %arg1[] : tensor<index>
    %extracted_1 = tensor.extract %arg2[] : tensor<f64>
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c3_i32 = arith.constant 3 : i32
    %0:2 = scf.for %arg3 = %c1 to %c3 step %c1 iter_args(%arg4 = %extracted_1, %arg5 = %c3_i32) -> (f64, i32) {
      %false_29 = arith.constant false
      %cst_30 = arith.constant dense<true> : tensor<2x3xi1>
      %8 = linalg.fill ins(%false_29 : i1) outs(%cst_30 : tensor<2x3xi1>) -> tensor<2x3xi1>
      %cst_31 = arith.constant dense<[[32768], [1254970488], [1]]> : tensor<3x1xi32>
      %cst_32 = arith.constant dense<2147483647> : tensor<1x1xi32>
      %9 = linalg.matmul ins(%cst_31, %cst_32 : tensor<3x1xi32>, tensor<1x1xi32>) outs(%cst_31 : tensor<3x1xi32>) -> tensor<3x1xi32>
      %10 = tensor.empty() : tensor<3x2xi1>
      %transposed = linalg.transpose ins(%cst_30 : tensor<2x3xi1>) outs(%10 : tensor<3x2xi1>) permutation = [1, 0] 
      %cst_33 = arith.constant 1.000000e+01 : f64
      scf.yield %cst_33, %c3_i32 : f64, i32
    }
    %false = arith.constant false
    %c-5_i32 = arith.constant -5 : i32
    %1 = arith.select %false, %c-5_i32, %c3_i32 : i32
    %cst = arith.constant dense<[[6.78293768E-18, 0.000000e+00, 7.000000e+00, 5.000000e-01, -6.400000e+01, -6.16207769E+31, -1.17549435E-38], [-0.000000e+00, 2.500000e+00, 2.500000e+00, -1.000000e+00, -0.000000e+00, 2.97836057E-4, -6.400000e+01], [-1.000000e+00, 0.000000e+00, 1.000000e+01, 0x7FC00000, 0.000000e+00, 0.000000e+00, -0.000000e+00], [0.000000e+00, 1.000000e+01, 7.000000e+00, -2.500000e-01, -3.750000e-01, -1.31642197E-10, -0.000000e+00]]> : tensor<4x7xf32>
    %cst_2 = arith.constant dense<false> : tensor<4x4xi1>
    %cst_3 = arith.constant dense<[[127, 69, -127, -1], [4, -1, 127, -128], [6, -60, 5, 8], [-99, -92, -4, -27]]> : tensor<4x4xi8>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst, %cst_2 : tensor<4x7xf32>, tensor<4x4xi1>) outs(%cst_3 : tensor<4x4xi8>) {
    ^bb0(%in: f32, %in_29: i1, %out: i8):
      %c126_i8 = arith.constant 126 : i8
      linalg.yield %c126_i8 : i8
    } -> tensor<4x4xi8>
    %3 = arith.extsi %c-5_i32 : i32 to i64
    %cst_4 = arith.constant dense<[[true, false], [true, false]]> : tensor<2x2xi1>
    %cst_5 = arith.constant dense<0> : tensor<2xi32>
    %4 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%cst_4 : tensor<2x2xi1>) outs(%cst_5 : tensor<2xi32>) {
    ^bb0(%in: i1, %out: i32):
      %cst_29 = arith.constant -6.3545088305002455 : f64
      %8 = arith.cmpf uge, %0#0, %cst_29 : f64
      %9 = arith.trunci %0#1 : i32 to i16
      %c-74_i8 = arith.constant -74 : i8
      %10 = arith.subi %c-74_i8, %c-74_i8 : i8
      %11 = arith.muli %out, %1 : i32
      linalg.yield %11 : i32
    } -> tensor<2xi32>
    %5 = arith.maxsi %extracted_0, %extracted_0 : index
    %cst_6 = arith.constant dense<32768> : tensor<1x1xi64>
    %cst_7 = arith.constant dense<6> : tensor<i64>
    %6 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["reduction", "reduction"]} ins(%cst_6 : tensor<1x1xi64>) outs(%cst_7 : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %8 = arith.extui %c3_i32 : i32 to i64
      %9 = arith.xori %out, %8 : i64
      linalg.yield %9 : i64
    } -> tensor<i64>
    %7 = linalg.mul ins(%4, %4 : tensor<2xi32>, tensor<2xi32>) outs(%cst_5 : tensor<2xi32>) -> tensor<2xi32>
    %inserted = tensor.insert %3 into %cst_7[] : tensor<i64>
    %cst_8 = arith.constant dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf64>
    %c0 = arith.constant 0 : index
    %inserted_9 = tensor.insert %extracted_1 into %cst_8[%c0] : tensor<2xf64>
    %c1_10 = arith.constant 1 : index
    %c1_11 = arith.constant 1 : index
    %inserted_12 = tensor.insert %0#0 into %inserted_9[%c1_10] : tensor<2xf64>
    %cst_13 = arith.constant dense<true> : tensor<1xi1>
    %inserted_14 = tensor.insert %false into %cst_13[%c0] : tensor<1xi1>
    %cst_15 = arith.constant dense<[-4, -128, 32769, -257]> : tensor<4xi32>
    %inserted_16 = tensor.insert %c3_i32 into %cst_15[%c0] : tensor<4xi32>
    %inserted_17 = tensor.insert %0#1 into %inserted_16[%c1] : tensor<4xi32>
    %c2 = arith.constant 2 : index
    %inserted_18 = tensor.insert %c-5_i32 into %inserted_17[%c2] : tensor<4xi32>
    %inserted_19 = tensor.insert %1 into %inserted_18[%c3] : tensor<4xi32>
    %cst_20 = arith.constant dense<1> : tensor<1xi64>
    %inserted_21 = tensor.insert %3 into %cst_20[%c0] : tensor<1xi64>
    %cst_22 = arith.constant dense<[60, 65, 9, 2, 23]> : tensor<5xindex>
    %inserted_23 = tensor.insert %extracted into %cst_22[%c0] : tensor<5xindex>
    %c1_24 = arith.constant 1 : index
    %inserted_25 = tensor.insert %extracted_0 into %inserted_23[%c1_24] : tensor<5xindex>
    %inserted_26 = tensor.insert %c1 into %inserted_25[%c2] : tensor<5xindex>
    %inserted_27 = tensor.insert %c3 into %inserted_26[%c3] : tensor<5xindex>
    %c4 = arith.constant 4 : index
    %inserted_28 = tensor.insert %5 into %inserted_27[%c4] : tensor<5xindex>
    return %inserted_12, %inserted_14, %inserted_19, %inserted_21, %inserted_28, %inserted_25, %inserted_26, %inserted_27 : tensor<2xf64>, tensor<1xi1>, tensor<4xi32>, tensor<1xi64>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>, tensor<5xindex>
  }
}
