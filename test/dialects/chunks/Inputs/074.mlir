// {"kind": "tensor-calls", "entry": "chunk74", "traits": ["returned tensor"], "arguments": [["a43", ["tensor", [], "f32"], [0, 0], false], ["a45", ["tensor", [], "f32"], [0, 0], false], ["a47", ["tensor", [], "index"], [0, 7], false], ["a49", ["tensor", [], "i32"], [0, 0], false], ["a51", ["tensor", [3, 4], "i1"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [2], "f64"], [0, 0], true], ["result2", ["tensor", [1], "i1"], [0, 0], true], ["result3", ["tensor", [2], "i32"], [0, 0], true], ["result4", ["tensor", [2], "i64"], [0, 0], true], ["result5", ["tensor", [6], "i8"], [0, 0], true], ["result6", ["tensor", [8], "index"], [0, 0], true], ["result7", ["tensor", [8], "index"], [0, 0], true], ["result8", ["tensor", [8], "index"], [0, 0], true], ["result9", ["tensor", [8], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func private @chunk74_n1() -> tensor<4x4xi32> {
    %c2_i16 = arith.constant 2 : i16
    %c4_i16 = arith.constant 4 : i16
    %c2_i16_0 = arith.constant 2 : i16
    %c1_i16 = arith.constant 1 : i16
    %0 = scf.for %arg0 = %c2_i16 to %c4_i16 step %c2_i16_0 iter_args(%arg1 = %c1_i16) -> (i16)  : i16 {
      %c-2147483648_i64 = arith.constant -2147483648 : i64
      %c63_i64 = arith.constant 63 : i64
      %10 = arith.andi %c-2147483648_i64, %c63_i64 : i64
      %c1_i64 = arith.constant 1 : i64
      %11 = arith.ori %10, %c1_i64 : i64
      %12 = arith.ceildivsi %c-2147483648_i64, %11 : i64
      %c-2 = arith.constant -2 : index
      %13 = arith.index_castui %c-2 : index to i32
      %cst_6 = arith.constant 0x7FF8000000000000 : f64
      %14 = math.fma %cst_6, %cst_6, %cst_6 : f64
      %cst_7 = arith.constant dense<-128> : tensor<3x3xi8>
      scf.yield %c2_i16 : i16
    }
    %cst = arith.constant 0.421272397 : f32
    %1 = math.absf %cst : f32
    %2 = math.absf %cst : f32
    %3 = arith.minnumf %1, %2 : f32
    %4 = arith.cmpf ord, %2, %2 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %5 = arith.select %4, %2, %cst_1 : f32
    %6 = math.copysign %1, %5 : f32
    %7 = arith.extui %4 : i1 to i16
    %cst_2 = arith.constant dense<40> : tensor<10xi8>
    %cst_3 = arith.constant dense<0> : tensor<4x4xi16>
    %cst_4 = arith.constant dense<[[1.000000e+00, 5.000000e-01, -1.54131964E+26, -1.000000e+00], [1.250000e-01, 0.000000e+00, -3.750000e-01, -0.898200274], [3.6865406, 2.500000e+00, 1.600000e+01, -0.241429254], [7.000000e+00, 5.000000e-01, -1.000000e+00, 1.000000e+00]]> : tensor<4x4xf32>
    %cst_5 = arith.constant dense<[[-2031933193, -940183946, -4, 1], [-1430839828, -2147483648, -2, -2], [1, -3, 8, 1666057705], [-103487920, 4, 1068439721, 200545456]]> : tensor<4x4xi32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2, %cst_3, %cst_4 : tensor<10xi8>, tensor<4x4xi16>, tensor<4x4xf32>) outs(%cst_5 : tensor<4x4xi32>) {
    ^bb0(%in: i8, %in_6: i16, %in_7: f32, %out: i32):
      %c0 = arith.constant 0 : index
      %10 = arith.index_cast %c0 : index to i8
      %11 = arith.extsi %out : i32 to i64
      %12 = arith.muli %out, %out : i32
      linalg.yield %12 : i32
    } -> tensor<4x4xi32>
    %c32767_i64 = arith.constant 32767 : i64
    %9 = arith.select %4, %c32767_i64, %c32767_i64 : i64
    return %8 : tensor<4x4xi32>
  }
  func.func @chunk74(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<index>, %arg3: tensor<i32>, %arg4: tensor<3x4xi1>) -> (tensor<2xf32>, tensor<2xf64>, tensor<1xi1>, tensor<2xi32>, tensor<2xi64>, tensor<6xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>) {
    %extracted = tensor.extract %arg0[] : tensor<f32>
    %extracted_0 = tensor.extract %arg1[] : tensor<f32>
    %extracted_1 = tensor.extract %arg2[] : tensor<index>
    %extracted_2 = tensor.extract %arg3[] : tensor<i32>
    %c-128_i8 = arith.constant -128 : i8
    %c7_i8 = arith.constant 7 : i8
    %0 = arith.andi %c-128_i8, %c7_i8 : i8
    %c1_i8 = arith.constant 1 : i8
    %1 = arith.ori %0, %c1_i8 : i8
    %2 = arith.remui %c-128_i8, %1 : i8
    %c8 = arith.constant 8 : index
    %3 = arith.andi %extracted_1, %c8 : index
    %4 = call @chunk74_n1() : () -> tensor<4x4xi32>
    %5 = arith.uitofp %2 : i8 to f64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %inserted = tensor.insert %extracted_2 into %4[%c0, %c1] : tensor<4x4xi32>
    %6 = call @chunk74_n1() : () -> tensor<4x4xi32>
    %c4 = arith.constant 4 : index
    %7 = arith.remui %extracted_1, %c4 : index
    %8 = arith.remui %c4, %c4 : index
    %extracted_3 = tensor.extract %6[%7, %8] : tensor<4x4xi32>
    %cst = arith.constant 2.500000e-01 : f64
    %9 = arith.cmpf ule, %5, %cst : f64
    %c5_i64 = arith.constant 5 : i64
    %10 = arith.minsi %c5_i64, %c5_i64 : i64
    %cst_4 = arith.constant dense<-4.000000e+00> : tensor<2xf32>
    %inserted_5 = tensor.insert %extracted into %cst_4[%c0] : tensor<2xf32>
    %inserted_6 = tensor.insert %extracted_0 into %inserted_5[%c1] : tensor<2xf32>
    %cst_7 = arith.constant dense<[-0.88423711635217239, 0.000000e+00]> : tensor<2xf64>
    %inserted_8 = tensor.insert %5 into %cst_7[%c0] : tensor<2xf64>
    %c1_9 = arith.constant 1 : index
    %inserted_10 = tensor.insert %cst into %inserted_8[%c1_9] : tensor<2xf64>
    %cst_11 = arith.constant dense<false> : tensor<1xi1>
    %c0_12 = arith.constant 0 : index
    %inserted_13 = tensor.insert %9 into %cst_11[%c0_12] : tensor<1xi1>
    %cst_14 = arith.constant dense<[0, 1930364057]> : tensor<2xi32>
    %inserted_15 = tensor.insert %extracted_2 into %cst_14[%c0_12] : tensor<2xi32>
    %inserted_16 = tensor.insert %extracted_3 into %inserted_15[%c1] : tensor<2xi32>
    %cst_17 = arith.constant dense<[-32768, 5178379618886413399]> : tensor<2xi64>
    %inserted_18 = tensor.insert %c5_i64 into %cst_17[%c0] : tensor<2xi64>
    %inserted_19 = tensor.insert %10 into %inserted_18[%c1] : tensor<2xi64>
    %cst_20 = arith.constant dense<[-2, 2, 0, 0, -31, 127]> : tensor<6xi8>
    %inserted_21 = tensor.insert %c-128_i8 into %cst_20[%c0_12] : tensor<6xi8>
    %inserted_22 = tensor.insert %c7_i8 into %inserted_21[%c1_9] : tensor<6xi8>
    %c2 = arith.constant 2 : index
    %inserted_23 = tensor.insert %0 into %inserted_22[%c2] : tensor<6xi8>
    %c3 = arith.constant 3 : index
    %inserted_24 = tensor.insert %c1_i8 into %inserted_23[%c3] : tensor<6xi8>
    %c4_25 = arith.constant 4 : index
    %inserted_26 = tensor.insert %1 into %inserted_24[%c4_25] : tensor<6xi8>
    %c5 = arith.constant 5 : index
    %inserted_27 = tensor.insert %2 into %inserted_26[%c5] : tensor<6xi8>
    %cst_28 = arith.constant dense<[28, 80, 1, -4, 65, 68, 29, 95]> : tensor<8xindex>
    %c0_29 = arith.constant 0 : index
    %inserted_30 = tensor.insert %extracted_1 into %cst_28[%c0_29] : tensor<8xindex>
    %inserted_31 = tensor.insert %c8 into %inserted_30[%c1_9] : tensor<8xindex>
    %inserted_32 = tensor.insert %3 into %inserted_31[%c2] : tensor<8xindex>
    %inserted_33 = tensor.insert %c0 into %inserted_32[%c3] : tensor<8xindex>
    %inserted_34 = tensor.insert %c1 into %inserted_33[%c4] : tensor<8xindex>
    %inserted_35 = tensor.insert %c4 into %inserted_34[%c5] : tensor<8xindex>
    %c6 = arith.constant 6 : index
    %inserted_36 = tensor.insert %7 into %inserted_35[%c6] : tensor<8xindex>
    %c7 = arith.constant 7 : index
    %c7_37 = arith.constant 7 : index
    %inserted_38 = tensor.insert %8 into %inserted_36[%c7] : tensor<8xindex>
    return %inserted_6, %inserted_10, %inserted_13, %inserted_16, %inserted_19, %inserted_27, %inserted_38, %inserted_34, %inserted_35, %inserted_36 : tensor<2xf32>, tensor<2xf64>, tensor<1xi1>, tensor<2xi32>, tensor<2xi64>, tensor<6xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>
  }
}
