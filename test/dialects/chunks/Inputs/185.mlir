// {"kind": "tensors", "entry": "chunk185", "traits": [], "arguments": [["a0", ["tensor", [4], "i16"], [0, 0], false], ["a1", ["tensor", [], "i16"], [0, 0], false], ["a4", ["tensor", [], "i1"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f32"], [0, 0], true], ["result1", ["tensor", [1], "i1"], [0, 0], true], ["result2", ["tensor", [5], "i16"], [0, 0], true], ["result3", ["tensor", [4], "index"], [0, 0], true], ["result4", ["tensor", [4], "index"], [0, 0], true], ["result5", ["tensor", [4], "index"], [0, 0], true], ["result6", ["tensor", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk185(%arg0: tensor<4xi16>, %arg1: tensor<i16>, %arg2: tensor<i1>) -> (tensor<2xf32>, tensor<1xi1>, tensor<5xi16>, tensor<4xindex>, tensor<4xindex>, tensor<4xindex>, tensor<4xindex>) {
    %extracted = tensor.extract %arg1[] : tensor<i16>
    %extracted_0 = tensor.extract %arg1[] : tensor<i16>
    %extracted_1 = tensor.extract %arg2[] : tensor<i1>
    %low, %high = arith.mului_extended %extracted, %extracted : i16
    %cst = arith.constant 0x7FC00000 : f32
    %0 = arith.maximumf %cst, %cst : f32
    %c3 = arith.constant 3 : index
    %extracted_2 = tensor.extract %arg0[%c3] : tensor<4xi16>
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %1:4 = scf.while (%arg3 = %c0, %arg4 = %arg0, %arg5 = %arg0, %arg6 = %low) : (index, tensor<4xi16>, tensor<4xi16>, i16) -> (index, tensor<4xi16>, tensor<4xi16>, i16) {
      %2 = arith.cmpi slt, %arg3, %c1 : index
      scf.condition(%2) %arg3, %arg4, %arg5, %arg6 : index, tensor<4xi16>, tensor<4xi16>, i16
    } do {
    ^bb0(%arg3: index, %arg4: tensor<4xi16>, %arg5: tensor<4xi16>, %arg6: i16):
      %c32767_i16 = arith.constant 32767 : i16
      %c7_i16 = arith.constant 7 : i16
      %2 = arith.ceildivsi %c32767_i16, %c7_i16 : i16
      %c2_20 = arith.constant 2 : index
      %extracted_21 = tensor.extract %arg4[%c2_20] : tensor<4xi16>
      %c-255_i32 = arith.constant -255 : i32
      %3 = arith.select %extracted_1, %c-255_i32, %c-255_i32 : i32
      %4 = arith.addi %arg3, %c1 : index
      scf.yield %4, %arg5, %arg4, %extracted_21 : index, tensor<4xi16>, tensor<4xi16>, i16
    }
    %cst_3 = arith.constant dense<0x7FC00000> : tensor<2xf32>
    %inserted = tensor.insert %cst into %cst_3[%c0] : tensor<2xf32>
    %c1_4 = arith.constant 1 : index
    %inserted_5 = tensor.insert %0 into %inserted[%c1_4] : tensor<2xf32>
    %cst_6 = arith.constant dense<true> : tensor<1xi1>
    %inserted_7 = tensor.insert %extracted_1 into %cst_6[%c0] : tensor<1xi1>
    %cst_8 = arith.constant dense<-32767> : tensor<5xi16>
    %inserted_9 = tensor.insert %extracted into %cst_8[%c0] : tensor<5xi16>
    %inserted_10 = tensor.insert %low into %inserted_9[%c1] : tensor<5xi16>
    %c2 = arith.constant 2 : index
    %inserted_11 = tensor.insert %high into %inserted_10[%c2] : tensor<5xi16>
    %c3_12 = arith.constant 3 : index
    %inserted_13 = tensor.insert %extracted_2 into %inserted_11[%c3_12] : tensor<5xi16>
    %c4 = arith.constant 4 : index
    %inserted_14 = tensor.insert %1#3 into %inserted_13[%c4] : tensor<5xi16>
    %cst_15 = arith.constant dense<[76, 79, 95, 61]> : tensor<4xindex>
    %inserted_16 = tensor.insert %c3 into %cst_15[%c0] : tensor<4xindex>
    %inserted_17 = tensor.insert %c1 into %inserted_16[%c1] : tensor<4xindex>
    %inserted_18 = tensor.insert %c0 into %inserted_17[%c2] : tensor<4xindex>
    %inserted_19 = tensor.insert %1#0 into %inserted_18[%c3] : tensor<4xindex>
    return %inserted_5, %inserted_7, %inserted_14, %inserted_19, %inserted_16, %inserted_17, %inserted_18 : tensor<2xf32>, tensor<1xi1>, tensor<5xi16>, tensor<4xindex>, tensor<4xindex>, tensor<4xindex>, tensor<4xindex>
  }
}
