// {"kind": "tensor-calls", "entry": "chunk200", "traits": ["returned tensor"], "arguments": [["a8", ["tensor", [2, 3], "f32"], [0, 0], false], ["a9", ["tensor", [], "i1"], [0, 0], false], ["a11", ["tensor", [], "i32"], [0, 0], false]], "results": [["result0", ["tensor", [5], "f32"], [0, 0], true], ["result1", ["tensor", [2], "i1"], [0, 0], true], ["result2", ["tensor", [1], "i32"], [0, 0], true], ["result3", ["tensor", [2], "index"], [0, 0], true], ["result4", ["tensor", [1], "i32"], [0, 0], true], ["result5", ["tensor", [2], "index"], [0, 0], true], ["result6", ["tensor", [2], "index"], [0, 0], true]]}
module {
  func.func private @chunk200_n1(%arg0: tensor<4x1xi1>, %arg1: tensor<3x4xi64>) -> tensor<3x4xi64> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %extracted = tensor.extract %arg1[%c1, %c2] : tensor<3x4xi64>
    %c1_i16 = arith.constant 1 : i16
    %0 = arith.shli %c1_i16, %c1_i16 : i16
    return %arg1 : tensor<3x4xi64>
  }
  func.func @chunk200(%arg0: tensor<2x3xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> (tensor<5xf32>, tensor<2xi1>, tensor<1xi32>, tensor<2xindex>, tensor<1xi32>, tensor<2xindex>, tensor<2xindex>) {
    %extracted = tensor.extract %arg1[] : tensor<i1>
    %extracted_0 = tensor.extract %arg2[] : tensor<i32>
    %cst = arith.constant -1.000000e+00 : f32
    %0 = math.absf %cst : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %1 = math.absf %cst_1 : f32
    %2 = arith.minnumf %0, %1 : f32
    %cst_2 = arith.constant dense<true> : tensor<4x1xi1>
    %cst_3 = arith.constant dense<[[4, 2147483649, -32767, -5], [8457702025267597047, -208725865246198455, -32769, 1], [6544966578797639378, -9223372036854775807, 1, -3]]> : tensor<3x4xi64>
    %3 = call @chunk200_n1(%cst_2, %cst_3) : (tensor<4x1xi1>, tensor<3x4xi64>) -> tensor<3x4xi64>
    %c-1 = arith.constant -1 : index
    %c-2 = arith.constant -2 : index
    %4 = arith.cmpi sge, %c-1, %c-2 : index
    %5 = call @chunk200_n1(%cst_2, %cst_3) : (tensor<4x1xi1>, tensor<3x4xi64>) -> tensor<3x4xi64>
    %cst_4 = arith.constant dense<-116.307755> : tensor<5xf32>
    %c0 = arith.constant 0 : index
    %inserted = tensor.insert %cst into %cst_4[%c0] : tensor<5xf32>
    %c1 = arith.constant 1 : index
    %inserted_5 = tensor.insert %0 into %inserted[%c1] : tensor<5xf32>
    %c2 = arith.constant 2 : index
    %inserted_6 = tensor.insert %cst_1 into %inserted_5[%c2] : tensor<5xf32>
    %c3 = arith.constant 3 : index
    %inserted_7 = tensor.insert %1 into %inserted_6[%c3] : tensor<5xf32>
    %c4 = arith.constant 4 : index
    %inserted_8 = tensor.insert %2 into %inserted_7[%c4] : tensor<5xf32>
    %cst_9 = arith.constant dense<true> : tensor<2xi1>
    %inserted_10 = tensor.insert %extracted into %cst_9[%c0] : tensor<2xi1>
    %inserted_11 = tensor.insert %extracted into %cst_9[%c0] : tensor<2xi1>
    %c1_12 = arith.constant 1 : index
    %inserted_13 = tensor.insert %4 into %inserted_10[%c1_12] : tensor<2xi1>
    %cst_14 = arith.constant dense<-127> : tensor<1xi32>
    %inserted_15 = tensor.insert %extracted_0 into %cst_14[%c0] : tensor<1xi32>
    %cst_16 = arith.constant dense<81> : tensor<2xindex>
    %inserted_17 = tensor.insert %c-1 into %cst_16[%c0] : tensor<2xindex>
    %c1_18 = arith.constant 1 : index
    %inserted_19 = tensor.insert %c-2 into %inserted_17[%c1_18] : tensor<2xindex>
    %inserted_20 = tensor.insert %c-2 into %inserted_17[%c1_18] : tensor<2xindex>
    return %inserted_8, %inserted_13, %inserted_15, %inserted_19, %cst_14, %cst_16, %inserted_17 : tensor<5xf32>, tensor<2xi1>, tensor<1xi32>, tensor<2xindex>, tensor<1xi32>, tensor<2xindex>, tensor<2xindex>
  }
}
