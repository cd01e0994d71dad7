// {"kind": "tensor-calls", "entry": "chunk158", "traits": ["identity"], "arguments": [["a33", ["tensor", [4, 2], "f64"], [0, 0], false], ["a34", ["tensor", [], "i32"], [0, 0], false]], "results": [["result0", ["tensor", [4], "f64"], [0, 0], true], ["result1", ["tensor", [2], "i1"], [0, 0], true], ["result2", ["tensor", [4], "i16"], [0, 0], true], ["result3", ["tensor", [1], "i32"], [0, 0], true], ["result4", ["tensor", [5], "i8"], [0, 0], true], ["result5", ["tensor", [8], "index"], [0, 0], true], ["result6", ["tensor", [8], "index"], [0, 0], true], ["result7", ["tensor", [8], "index"], [0, 0], true], ["result8", ["tensor", [8], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func private @chunk158_n1(%arg0: tensor<1x4xi32>, %arg1: tensor<1x4xi1>, %arg2: tensor<4xi32>) {
    %c1947103431108984161_i64 = arith.constant 1947103431108984161 : i64
    %0 = arith.bitcast %c1947103431108984161_i64 : i64 to f64
    %cst = arith.constant dense<[[-1.000000e+00], [5.000000e-01]]> : tensor<2x1xf64>
    %cst_0 = arith.constant dense<1.65073424E-18> : tensor<f32>
    %cst_1 = arith.constant dense<[[43.948902419175987, 1.000000e+01]]> : tensor<1x2xf64>
    %cst_2 = arith.constant dense<5.000000e-01> : tensor<2x1xf32>
    %cst_3 = arith.constant dense<5.000000e-01> : tensor<2x1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst, %cst_0, %cst_1, %cst_2 : tensor<2x1xf64>, tensor<f32>, tensor<1x2xf64>, tensor<2x1xf32>) outs(%cst : tensor<2x1xf64>) {
    ^bb0(%in: f64, %in_5: f32, %in_6: f64, %in_7: f32, %out: f64):
      %4 = linalg.index 0 : index
      linalg.yield %in : f64
    } -> tensor<2x1xf64>
    %c-2_i8 = arith.constant -2 : i8
    %2 = arith.uitofp %c-2_i8 : i8 to f32
    %c1 = arith.constant 1 : index
    %extracted = tensor.extract %arg2[%c1] : tensor<4xi32>
    %cst_4 = arith.constant 0x7FC00000 : f32
    %3 = arith.addf %2, %cst_4 : f32
    %transposed = linalg.transpose ins(%arg2 : tensor<4xi32>) outs(%arg2 : tensor<4xi32>) permutation = [0] 
    return
  }
  func.func private @chunk158_n26(%arg0: tensor<2x3xi1>) {
    %cst = arith.constant dense<[[32768, 3, -630315232, 256]]> : tensor<1x4xi32>
    %cst_0 = arith.constant dense<[[true, false, false, true]]> : tensor<1x4xi1>
    %cst_1 = arith.constant dense<[0, 1, 255, 256]> : tensor<4xi32>
    call @chunk158_n1(%cst, %cst_0, %cst_1) : (tensor<1x4xi32>, tensor<1x4xi1>, tensor<4xi32>) -> ()
    %false = arith.constant false
    %c-128_i8 = arith.constant -128 : i8
    %0 = arith.select %false, %c-128_i8, %c-128_i8 : i8
    return
  }
  func.func @chunk158(%arg0: tensor<4x2xf64>, %arg1: tensor<i32>) -> (tensor<4xf64>, tensor<2xi1>, tensor<4xi16>, tensor<1xi32>, tensor<5xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>) {
    %extracted = tensor.extract %arg1[] : tensor<i32>
    %c-3 = arith.constant -3 : index
    %c8 = arith.constant 8 : index
    %0 = arith.cmpi sgt, %c-3, %c8 : index
    %cst = arith.constant dense<[[true, false, true], [true, false, false]]> : tensor<2x3xi1>
    call @chunk158_n26(%cst) : (tensor<2x3xi1>) -> ()
    %c4_i16 = arith.constant 4 : i16
    %c15_i16 = arith.constant 15 : i16
    %1 = arith.andi %c4_i16, %c15_i16 : i16
    %2 = arith.shrsi %1, %1 : i16
    %cst_0 = arith.constant 5.000000e-01 : f64
    %padded = tensor.pad %arg0 low[0, 0] high[1, 1] {
    ^bb0(%arg2: index, %arg3: index):
      tensor.yield %cst_0 : f64
    } : tensor<4x2xf64> to tensor<5x3xf64>
    call @chunk158_n26(%cst) : (tensor<2x3xi1>) -> ()
    %c0_i8 = arith.constant 0 : i8
    %c7_i8 = arith.constant 7 : i8
    %3 = arith.andi %c0_i8, %c7_i8 : i8
    %4 = math.ipowi %c7_i8, %3 : i8
    %cst_1 = arith.constant dense<[6553, 255, 127, -3]> : tensor<4xi16>
    call @chunk158_n26(%cst) : (tensor<2x3xi1>) -> ()
    %cst_2 = arith.constant -1.7976931348623157E+308 : f64
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %5:4 = scf.while (%arg2 = %c0, %arg3 = %c0_i8, %arg4 = %padded, %arg5 = %cst_2) : (index, i8, tensor<5x3xf64>, f64) -> (index, i8, tensor<5x3xf64>, f64) {
      %8 = arith.cmpi slt, %arg2, %c4 : index
      scf.condition(%8) %arg2, %arg3, %arg4, %arg5 : index, i8, tensor<5x3xf64>, f64
    } do {
    ^bb0(%arg2: index, %arg3: i8, %arg4: tensor<5x3xf64>, %arg5: f64):
      %8 = tensor.empty() : tensor<4xi16>
      %transposed = linalg.transpose ins(%cst_1 : tensor<4xi16>) outs(%8 : tensor<4xi16>) permutation = [0] 
      %9 = arith.addi %arg2, %c1 : index
      %c1_i8 = arith.constant 1 : i8
      scf.yield %9, %c1_i8, %arg4, %cst_2 : index, i8, tensor<5x3xf64>, f64
    }
    call @chunk158_n26(%cst) : (tensor<2x3xi1>) -> ()
    %cst_3 = arith.constant dense<[[128, -115941750, 2147483646, 2147483647]]> : tensor<1x4xi32>
    %cst_4 = arith.constant dense<[[true, false, false, true]]> : tensor<1x4xi1>
    %cst_5 = arith.constant dense<[-4, -842498392, 6, 5]> : tensor<4xi32>
    call @chunk158_n1(%cst_3, %cst_4, %cst_5) : (tensor<1x4xi32>, tensor<1x4xi1>, tensor<4xi32>) -> ()
    %cst_6 = arith.constant 7.000000e+00 : f64
    %6 = arith.cmpf ule, %cst_6, %cst_6 : f64
    call @chunk158_n1(%cst_3, %cst_4, %cst_5) : (tensor<1x4xi32>, tensor<1x4xi1>, tensor<4xi32>) -> ()
    %c5 = arith.constant 5 : index
    %7 = arith.remui %5#0, %c5 : index
    %extracted_slice = tensor.extract_slice %padded[%7, 0] [1, 2] [1, 2] : tensor<5x3xf64> to tensor<1x2xf64>
    %cst_7 = arith.constant dense<[0xFFF0000000000000, 0.17726012577084291, -3.750000e-01, 0xFFF0000000000000]> : tensor<4xf64>
    %inserted = tensor.insert %cst_0 into %cst_7[%c0] : tensor<4xf64>
    %inserted_8 = tensor.insert %cst_2 into %inserted[%c1] : tensor<4xf64>
    %c2 = arith.constant 2 : index
    %inserted_9 = tensor.insert %5#3 into %inserted_8[%c2] : tensor<4xf64>
    %c3 = arith.constant 3 : index
    %inserted_10 = tensor.insert %cst_6 into %inserted_9[%c3] : tensor<4xf64>
    %cst_11 = arith.constant dense<true> : tensor<2xi1>
    %inserted_12 = tensor.insert %0 into %cst_11[%c0] : tensor<2xi1>
    %inserted_13 = tensor.insert %6 into %inserted_12[%c1] : tensor<2xi1>
    %cst_14 = arith.constant dense<255> : tensor<4xi16>
    %inserted_15 = tensor.insert %c4_i16 into %cst_14[%c0] : tensor<4xi16>
    %c1_16 = arith.constant 1 : index
    %inserted_17 = tensor.insert %c15_i16 into %inserted_15[%c1_16] : tensor<4xi16>
    %inserted_18 = tensor.insert %1 into %inserted_17[%c2] : tensor<4xi16>
    %inserted_19 = tensor.insert %2 into %inserted_18[%c3] : tensor<4xi16>
    %cst_20 = arith.constant dense<-2> : tensor<1xi32>
    %inserted_21 = tensor.insert %extracted into %cst_20[%c0] : tensor<1xi32>
    %cst_22 = arith.constant dense<[-127, 127, -4, 2, -105]> : tensor<5xi8>
    %inserted_23 = tensor.insert %c0_i8 into %cst_22[%c0] : tensor<5xi8>
    %inserted_24 = tensor.insert %c7_i8 into %inserted_23[%c1_16] : tensor<5xi8>
    %inserted_25 = tensor.insert %3 into %inserted_24[%c2] : tensor<5xi8>
    %inserted_26 = tensor.insert %4 into %inserted_25[%c3] : tensor<5xi8>
    %inserted_27 = tensor.insert %5#1 into %inserted_26[%c4] : tensor<5xi8>
    %cst_28 = arith.constant dense<[29, 50, 44, 89, 0, 43, 75, 10]> : tensor<8xindex>
    %inserted_29 = tensor.insert %c-3 into %cst_28[%c0] : tensor<8xindex>
    %inserted_30 = tensor.insert %c8 into %inserted_29[%c1] : tensor<8xindex>
    %inserted_31 = tensor.insert %c4 into %inserted_30[%c2] : tensor<8xindex>
    %inserted_32 = tensor.insert %c0 into %inserted_31[%c3] : tensor<8xindex>
    %inserted_33 = tensor.insert %c1 into %inserted_32[%c4] : tensor<8xindex>
    %c5_34 = arith.constant 5 : index
    %inserted_35 = tensor.insert %5#0 into %inserted_33[%c5_34] : tensor<8xindex>
    %c6 = arith.constant 6 : index
    %inserted_36 = tensor.insert %c5 into %inserted_35[%c6] : tensor<8xindex>
    %c7 = arith.constant 7 : index
    %inserted_37 = tensor.insert %7 into %inserted_36[%c7] : tensor<8xindex>
    return %inserted_10, %inserted_13, %inserted_19, %inserted_21, %inserted_27, %inserted_37, %inserted_33, %inserted_35, %inserted_36 : tensor<4xf64>, tensor<2xi1>, tensor<4xi16>, tensor<1xi32>, tensor<5xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>
  }
}
