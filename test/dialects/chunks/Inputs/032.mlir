// {"kind": "tensor-calls", "entry": "chunk32", "traits": ["concat", "returned tensor"], "arguments": [["a15", ["tensor", [2, 4, 4], "i32"], [0, 0], false], ["a16", ["tensor", [4, 1], "i1"], [0, 0], false], ["a17", ["tensor", [3], "i32"], [0, 0], false], ["a18", ["tensor", [], "index"], [0, 7], false], ["a20", ["tensor", [3], "i32"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [1], "i1"], [0, 0], true], ["result2", ["tensor", [4], "i16"], [0, 0], true], ["result3", ["tensor", [2], "i32"], [0, 0], true], ["result4", ["tensor", [6], "index"], [0, 0], true], ["result5", ["tensor", [6], "index"], [0, 0], true], ["result6", ["tensor", [6], "index"], [0, 0], true], ["result7", ["tensor", [6], "index"], [0, 0], true]]}
module {
  func.func private @chunk32_n1(%arg0: tensor<4xi64>) -> tensor<4xi64> {
    %c2 = arith.constant 2 : index
    %c-3 = arith.constant -3 : index
    %0 = arith.maxsi %c2, %c-3 : index
    return %arg0 : tensor<4xi64>
  }
  func.func private @chunk32_n6(%arg0: tensor<1x1xi1>) -> tensor<1x1xi1> {
    %c1 = arith.constant 1 : index
    %0 = arith.index_castui %c1 : index to i64
    %collapsed = tensor.collapse_shape %arg0 [[0, 1]] : tensor<1x1xi1> into tensor<1xi1>
    %c-4 = arith.constant -4 : index
    %c6 = arith.constant 6 : index
    %1 = arith.addi %c-4, %c6 : index
    %cst = arith.constant dense<[-9223372036854775808, 128, 9223372036854775806, 7]> : tensor<4xi64>
    %2 = call @chunk32_n1(%cst) : (tensor<4xi64>) -> tensor<4xi64>
    return %arg0 : tensor<1x1xi1>
  }
  func.func @chunk32(%arg0: tensor<2x4x4xi32>, %arg1: tensor<4x1xi1>, %arg2: tensor<3xi32>, %arg3: tensor<index>, %arg4: tensor<3xi32>) -> (tensor<2xf32>, tensor<1xi1>, tensor<4xi16>, tensor<2xi32>, tensor<6xindex>, tensor<6xindex>, tensor<6xindex>, tensor<6xindex>) {
    %extracted = tensor.extract %arg3[] : tensor<index>
    %cst = arith.constant 5.000000e-01 : f32
    %0 = arith.cmpf ult, %cst, %cst : f32
    %cst_0 = arith.constant dense<true> : tensor<1x1xi1>
    %1 = call @chunk32_n6(%cst_0) : (tensor<1x1xi1>) -> tensor<1x1xi1>
    %c257_i32 = arith.constant 257 : i32
    %2 = arith.maxui %c257_i32, %c257_i32 : i32
    %c-31718_i16 = arith.constant -31718 : i16
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %3:3 = scf.while (%arg5 = %c0, %arg6 = %c-31718_i16, %arg7 = %arg4) : (index, i16, tensor<3xi32>) -> (index, i16, tensor<3xi32>) {
      %8 = arith.cmpi slt, %arg5, %c1 : index
      %9 = arith.andi %8, %0 : i1
      scf.condition(%9) %arg5, %arg6, %arg7 : index, i16, tensor<3xi32>
    } do {
    ^bb0(%arg5: index, %arg6: i16, %arg7: tensor<3xi32>):
      %c2_i16 = arith.constant 2 : i16
      %8 = arith.maxsi %arg6, %c2_i16 : i16
      %concat_24 = tensor.concat dim(1) %1, %1 : (tensor<1x1xi1>, tensor<1x1xi1>) -> tensor<1x2xi1>
      %cst_25 = arith.constant dense<[9223372036854775807, -6910043368040913281, -9223372036854775808, 1]> : tensor<4xi64>
      %9 = func.call @chunk32_n1(%cst_25) : (tensor<4xi64>) -> tensor<4xi64>
      %10 = arith.addi %arg5, %c1 : index
      scf.yield %10, %arg6, %arg2 : index, i16, tensor<3xi32>
    }
    %c0_i16 = arith.constant 0 : i16
    %4 = arith.shrsi %3#1, %c0_i16 : i16
    %c2 = arith.constant 2 : index
    %5 = arith.remui %3#0, %c2 : index
    %6 = math.sqrt %cst : f32
    %concat = tensor.concat dim(0) %3#2, %3#2 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
    %cst_1 = arith.constant dense<true> : tensor<1x1xi1>
    %7 = call @chunk32_n6(%cst_1) : (tensor<1x1xi1>) -> tensor<1x1xi1>
    %cst_2 = arith.constant dense<[-0.754291654, -2.500000e-01]> : tensor<2xf32>
    %inserted = tensor.insert %cst into %cst_2[%c0] : tensor<2xf32>
    %inserted_3 = tensor.insert %6 into %inserted[%c1] : tensor<2xf32>
    %cst_4 = arith.constant dense<false> : tensor<1xi1>
    %inserted_5 = tensor.insert %0 into %cst_4[%c0] : tensor<1xi1>
    %cst_6 = arith.constant dense<[2856, -32767, 129, -1]> : tensor<4xi16>
    %inserted_7 = tensor.insert %c-31718_i16 into %cst_6[%c0] : tensor<4xi16>
    %inserted_8 = tensor.insert %3#1 into %inserted_7[%c1] : tensor<4xi16>
    %inserted_9 = tensor.insert %c0_i16 into %inserted_8[%c2] : tensor<4xi16>
    %c3 = arith.constant 3 : index
    %inserted_10 = tensor.insert %4 into %inserted_9[%c3] : tensor<4xi16>
    %cst_11 = arith.constant dense<[-627572189, -128]> : tensor<2xi32>
    %inserted_12 = tensor.insert %c257_i32 into %cst_11[%c0] : tensor<2xi32>
    %c1_13 = arith.constant 1 : index
    %inserted_14 = tensor.insert %2 into %inserted_12[%c1_13] : tensor<2xi32>
    %cst_15 = arith.constant dense<[16, 28, 25, -3, 59, 49]> : tensor<6xindex>
    %inserted_16 = tensor.insert %extracted into %cst_15[%c0] : tensor<6xindex>
    %c1_17 = arith.constant 1 : index
    %inserted_18 = tensor.insert %c1 into %inserted_16[%c1_17] : tensor<6xindex>
    %inserted_19 = tensor.insert %c1 into %inserted_16[%c1_17] : tensor<6xindex>
    %inserted_20 = tensor.insert %c0 into %inserted_18[%c2] : tensor<6xindex>
    %inserted_21 = tensor.insert %3#0 into %inserted_20[%c3] : tensor<6xindex>
    %c4 = arith.constant 4 : index
    %inserted_22 = tensor.insert %c2 into %inserted_21[%c4] : tensor<6xindex>
    %c5 = arith.constant 5 : index
    %inserted_23 = tensor.insert %5 into %inserted_22[%c5] : tensor<6xindex>
    return %inserted_3, %inserted_5, %inserted_10, %inserted_14, %inserted_23, %inserted_20, %inserted_21, %inserted_22 : tensor<2xf32>, tensor<1xi1>, tensor<4xi16>, tensor<2xi32>, tensor<6xindex>, tensor<6xindex>, tensor<6xindex>, tensor<6xindex>
  }
}
