// {"kind": "tensor-calls", "entry": "chunk116", "traits": ["returned tensor"], "arguments": [["a6", ["tensor", [2], "i32"], [0, 0], false], ["a7", ["tensor", [2], "i16"], [0, 0], false], ["a8", ["tensor", [], "index"], [0, 7], false], ["a10", ["tensor", [], "f32"], [0, 0], false]], "results": [["result0", ["tensor", [4], "f32"], [0, 0], true], ["result1", ["tensor", [3], "i16"], [0, 0], true], ["result2", ["tensor", [1], "i32"], [0, 0], true], ["result3", ["tensor", [1], "i64"], [0, 0], true], ["result4", ["tensor", [5], "i8"], [0, 0], true], ["result5", ["tensor", [8], "index"], [0, 0], true], ["result6", ["tensor", [8], "index"], [0, 0], true], ["result7", ["tensor", [8], "index"], [0, 0], true], ["result8", ["tensor", [8], "index"], [0, 0], true]]}
module {
  func.func private @chunk116_n1(%arg0: tensor<4xf32>, %arg1: tensor<4xi16>, %arg2: tensor<2xi1>) -> tensor<4xi16> {
    %c0 = arith.constant 0 : index
    %inserted_slice = tensor.insert_slice %arg1 into %arg1[%c0] [4] [1] : tensor<4xi16> into tensor<4xi16>
    return %arg1 : tensor<4xi16>
  }
  func.func @chunk116(%arg0: tensor<2xi32>, %arg1: tensor<2xi16>, %arg2: tensor<index>, %arg3: tensor<f32>) -> (tensor<4xf32>, tensor<3xi16>, tensor<1xi32>, tensor<1xi64>, tensor<5xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>) {
    %extracted = tensor.extract %arg2[] : tensor<index>
    %extracted_0 = tensor.extract %arg3[] : tensor<f32>
    %c5_i8 = arith.constant 5 : i8
    %c7_i8 = arith.constant 7 : i8
    %0 = arith.andi %c5_i8, %c7_i8 : i8
    %1 = math.ipowi %0, %0 : i8
    %cst = arith.constant 1.401300e-45 : f32
    %2 = math.sqrt %cst : f32
    %cst_1 = arith.constant dense<[5.81766657E+30, -0.000000e+00, -1.000000e+00, -1.000000e+00]> : tensor<4xf32>
    %cst_2 = arith.constant dense<2> : tensor<4xi16>
    %cst_3 = arith.constant dense<true> : tensor<2xi1>
    %3 = call @chunk116_n1(%cst_1, %cst_2, %cst_3) : (tensor<4xf32>, tensor<4xi16>, tensor<2xi1>) -> tensor<4xi16>
    %4 = call @chunk116_n1(%cst_1, %cst_2, %cst_3) : (tensor<4xf32>, tensor<4xi16>, tensor<2xi1>) -> tensor<4xi16>
    %c-2 = arith.constant -2 : index
    %5 = arith.index_cast %c-2 : index to i8
    %6 = call @chunk116_n1(%cst_1, %4, %cst_3) : (tensor<4xf32>, tensor<4xi16>, tensor<2xi1>) -> tensor<4xi16>
    %c-7570_i16 = arith.constant -7570 : i16
    %c3 = arith.constant 3 : index
    %inserted = tensor.insert %c-7570_i16 into %3[%c3] : tensor<4xi16>
    %7 = arith.divf %cst, %extracted_0 : f32
    %c1 = arith.constant 1 : index
    %extracted_slice = tensor.extract_slice %6[%c1] [2] [2] : tensor<4xi16> to tensor<2xi16>
    %cst_4 = arith.constant dense<[1.000000e+01, 1.17549421E-38, -1.17549435E-38, 5.000000e-01]> : tensor<4xf32>
    %8 = call @chunk116_n1(%cst_4, %3, %cst_3) : (tensor<4xf32>, tensor<4xi16>, tensor<2xi1>) -> tensor<4xi16>
    %cst_5 = arith.constant dense<[[7.84301392E+28], [-1.17549421E-38], [0.000000e+00], [-1.000000e+00]]> : tensor<4x1xf32>
    %c1_6 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c1_7 = arith.constant 1 : index
    %9:3 = scf.while (%arg4 = %c0, %arg5 = %c-7570_i16, %arg6 = %cst_4) : (index, i16, tensor<4xf32>) -> (index, i16, tensor<4xf32>) {
      %11 = arith.cmpi slt, %arg4, %c1_6 : index
      %12 = arith.andi %11, %11 : i1
      scf.condition(%12) %arg4, %arg5, %arg6 : index, i16, tensor<4xf32>
    } do {
    ^bb0(%arg4: index, %arg5: i16, %arg6: tensor<4xf32>):
      %11 = arith.addi %arg4, %c1_7 : index
      scf.yield %11, %c-7570_i16, %arg6 : index, i16, tensor<4xf32>
    }
    %c2_i16 = arith.constant 2 : i16
    %padded = tensor.pad %8 low[2] high[0] {
    ^bb0(%arg4: index):
      tensor.yield %c2_i16 : i16
    } : tensor<4xi16> to tensor<6xi16>
    %c-1027485126_i32 = arith.constant -1027485126 : i32
    %10 = arith.extsi %c-1027485126_i32 : i32 to i64
    %cst_8 = arith.constant dense<3.200000e+01> : tensor<4xf32>
    %inserted_9 = tensor.insert %extracted_0 into %cst_8[%c0] : tensor<4xf32>
    %inserted_10 = tensor.insert %cst into %inserted_9[%c1_6] : tensor<4xf32>
    %c2 = arith.constant 2 : index
    %inserted_11 = tensor.insert %2 into %inserted_10[%c2] : tensor<4xf32>
    %inserted_12 = tensor.insert %7 into %inserted_11[%c3] : tensor<4xf32>
    %cst_13 = arith.constant dense<[-32767, 6468, -256]> : tensor<3xi16>
    %inserted_14 = tensor.insert %c-7570_i16 into %cst_13[%c0] : tensor<3xi16>
    %inserted_15 = tensor.insert %9#1 into %inserted_14[%c1_6] : tensor<3xi16>
    %inserted_16 = tensor.insert %9#1 into %inserted_14[%c1_6] : tensor<3xi16>
    %inserted_17 = tensor.insert %c2_i16 into %inserted_15[%c2] : tensor<3xi16>
    %cst_18 = arith.constant dense<-773957715> : tensor<1xi32>
    %inserted_19 = tensor.insert %c-1027485126_i32 into %cst_18[%c0] : tensor<1xi32>
    %cst_20 = arith.constant dense<1481851239935975907> : tensor<1xi64>
    %inserted_21 = tensor.insert %10 into %cst_20[%c0] : tensor<1xi64>
    %cst_22 = arith.constant dense<[-119, -4, 127, -87, 4]> : tensor<5xi8>
    %inserted_23 = tensor.insert %c5_i8 into %cst_22[%c0] : tensor<5xi8>
    %inserted_24 = tensor.insert %c7_i8 into %inserted_23[%c1] : tensor<5xi8>
    %inserted_25 = tensor.insert %0 into %inserted_24[%c2] : tensor<5xi8>
    %inserted_26 = tensor.insert %1 into %inserted_25[%c3] : tensor<5xi8>
    %c4 = arith.constant 4 : index
    %inserted_27 = tensor.insert %5 into %inserted_26[%c4] : tensor<5xi8>
    %cst_28 = arith.constant dense<[38, 8, 65, 0, 32, 27, 38, 27]> : tensor<8xindex>
    %inserted_29 = tensor.insert %extracted into %cst_28[%c0] : tensor<8xindex>
    %inserted_30 = tensor.insert %c-2 into %inserted_29[%c1_6] : tensor<8xindex>
    %inserted_31 = tensor.insert %c3 into %inserted_30[%c2] : tensor<8xindex>
    %inserted_32 = tensor.insert %c1 into %inserted_31[%c3] : tensor<8xindex>
    %inserted_33 = tensor.insert %c1_6 into %inserted_32[%c4] : tensor<8xindex>
    %c5 = arith.constant 5 : index
    %inserted_34 = tensor.insert %c0 into %inserted_33[%c5] : tensor<8xindex>
    %c6 = arith.constant 6 : index
    %inserted_35 = tensor.insert %c1_7 into %inserted_34[%c6] : tensor<8xindex>
    %c7 = arith.constant 7 : index
    %inserted_36 = tensor.insert %9#0 into %inserted_35[%c7] : tensor<8xindex>
    return %inserted_12, %inserted_17, %inserted_19, %inserted_21, %inserted_27, %inserted_36, %inserted_33, %inserted_34, %inserted_35 : tensor<4xf32>, tensor<3xi16>, tensor<1xi32>, tensor<1xi64>, tensor<5xi8>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>, tensor<8xindex>
  }
}
