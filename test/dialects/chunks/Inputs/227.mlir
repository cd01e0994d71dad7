// {"kind": "tensors", "entry": "chunk227", "traits": [], "arguments": [["a0", ["tensor", [], "i64"], [0, 0], false], ["a2", ["tensor", [], "i8"], [0, 0], false], ["a4", ["tensor", [], "index"], [0, 7], false], ["a6", ["tensor", [], "f64"], [0, 0], false]], "results": [["result0", ["tensor", [2], "f64"], [0, 0], true], ["result1", ["tensor", [1], "i16"], [0, 0], true], ["result2", ["tensor", [8], "i32"], [0, 0], true], ["result3", ["tensor", [2], "i64"], [0, 0], true], ["result4", ["tensor", [2], "i8"], [0, 0], true], ["result5", ["tensor", [1], "index"], [0, 0], true], ["result6", ["tensor", [2], "i8"], [0, 0], true], ["result7", ["tensor", [2], "i8"], [0, 0], true], ["result8", ["tensor", [1], "index"], [0, 0], true]]}
module {
  func.func @chunk227(%arg0: tensor<i64>, %arg1: tensor<i8>, %arg2: tensor<index>, %arg3: tensor<f64>) -> (tensor<2xf64>, tensor<1xi16>, tensor<8xi32>, tensor<2xi64>, tensor<2xi8>, tensor<1xindex>, tensor<2xi8>, tensor<2xi8>, tensor<1xindex>) {
    %extracted = tensor.extract %arg0[] : tensor<i64>
    %extracted_0 = tensor.extract %arg1[] : tensor<i8>
    %extracted_1 = tensor.extract %arg2[] : tensor<index>
    %extracted_2 = tensor.extract %arg3[] : tensor<f64>
    %c-4_i8 = arith.constant -4 : i8
    %0 = arith.extui %c-4_i8 : i8 to i16
    %1 = arith.andi %extracted, %extracted : i64
    %2 = arith.andi %extracted, %extracted : i64
    %c9_i32 = arith.constant 9 : i32
    %c7_i32 = arith.constant 7 : i32
    %3 = arith.andi %c9_i32, %c7_i32 : i32
    %4 = math.ipowi %3, %3 : i32
    %c63_i32 = arith.constant 63 : i32
    %5 = arith.andi %4, %c63_i32 : i32
    %c1_i32 = arith.constant 1 : i32
    %6 = arith.ori %5, %c1_i32 : i32
    %7 = arith.floordivsi %4, %6 : i32
    %8 = arith.addf %extracted_2, %extracted_2 : f64
    %9 = math.absi %c63_i32 : i32
    %cst = arith.constant dense<-3.200000e+01> : tensor<2xf64>
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %extracted_2 into %cst[%c0] : tensor<2xf64>
    %c1 = arith.constant 1 : index
    %inserted_3 = tensor.insert %8 into %inserted[%c1] : tensor<2xf64>
    %cst_4 = arith.constant dense<128> : tensor<1xi16>
    %inserted_5 = tensor.insert %0 into %cst_4[%c0] : tensor<1xi16>
    %cst_6 = arith.constant dense<[0, -255, 127, -1437501781, 2, 2147483646, -5, -4]> : tensor<8xi32>
    %inserted_7 = tensor.insert %c63_i32 into %cst_6[%c0] : tensor<8xi32>
    %inserted_8 = tensor.insert %5 into %inserted_7[%c1] : tensor<8xi32>
    %c2 = arith.constant 2 : index
    %inserted_9 = tensor.insert %c1_i32 into %inserted_8[%c2] : tensor<8xi32>
    %c3 = arith.constant 3 : index
    %inserted_10 = tensor.insert %6 into %inserted_9[%c3] : tensor<8xi32>
    %c4 = arith.constant 4 : index
    %inserted_11 = tensor.insert %7 into %inserted_10[%c4] : tensor<8xi32>
    %c5 = arith.constant 5 : index
    %inserted_12 = tensor.insert %9 into %inserted_11[%c5] : tensor<8xi32>
    %c6 = arith.constant 6 : index
    %inserted_13 = tensor.insert %c7_i32 into %inserted_12[%c6] : tensor<8xi32>
    %c7 = arith.constant 7 : index
    %inserted_14 = tensor.insert %4 into %inserted_13[%c7] : tensor<8xi32>
    %cst_15 = arith.constant dense<[-3580968753618608858, 1]> : tensor<2xi64>
    %cst_16 = arith.constant dense<[-3580968753618608858, 1]> : tensor<2xi64>
    %inserted_17 = tensor.insert %extracted into %cst_15[%c0] : tensor<2xi64>
    %inserted_18 = tensor.insert %1 into %inserted_17[%c1] : tensor<2xi64>
    %cst_19 = arith.constant dense<[0, -105]> : tensor<2xi8>
    %c0_20 = arith.constant 0 : index
    %inserted_21 = tensor.insert %extracted_0 into %cst_19[%c0_20] : tensor<2xi8>
    %inserted_22 = tensor.insert %c-4_i8 into %inserted_21[%c1] : tensor<2xi8>
    %inserted_23 = tensor.insert %c-4_i8 into %inserted_21[%c1] : tensor<2xi8>
    %cst_24 = arith.constant dense<27> : tensor<1xindex>
    %inserted_25 = tensor.insert %extracted_1 into %cst_24[%c0_20] : tensor<1xindex>
    return %inserted_3, %inserted_5, %inserted_14, %inserted_18, %inserted_22, %inserted_25, %cst_19, %inserted_21, %cst_24 : tensor<2xf64>, tensor<1xi16>, tensor<8xi32>, tensor<2xi64>, tensor<2xi8>, tensor<1xindex>, tensor<2xi8>, tensor<2xi8>, tensor<1xindex>
  }
}
