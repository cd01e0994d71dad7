// {"kind": "elements", "entry": "chunk16", "traits": [], "arguments": [["a0", ["memref", [2, 3], "i64"], [0, 0], false], ["a1", ["memref", [3], "i64"], [0, 0], false], ["a2", "i64", [0, 7], false], ["a3", "index", [0, 2], false], ["o0", ["memref", [], "i64"], [0, 0], true], ["o1", ["memref", [3], "i64"], [0, 0], true], ["o2", ["memref", [3], "i64"], [0, 0], true], ["o3", ["memref", [2, 3], "i64"], [0, 0], true], ["o4", ["memref", [], "i64"], [0, 0], true], ["o5", ["memref", [2, 3], "i64"], [0, 0], true]], "results": [["o0", ["memref", [], "i64"], [0, 0], true], ["o1", ["memref", [3], "i64"], [0, 0], true], ["o2", ["memref", [3], "i64"], [0, 0], true], ["o3", ["memref", [2, 3], "i64"], [0, 0], true], ["o4", ["memref", [], "i64"], [0, 0], true], ["o5", ["memref", [2, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk16(%arg0: memref<2x3xi64>, %arg1: memref<3xi64>, %arg2: i64, %arg3: index, %arg4: memref<i64> {tilewright.output}, %arg5: memref<3xi64> {tilewright.output}, %arg6: memref<3xi64> {tilewright.output}, %arg7: memref<2x3xi64> {tilewright.output}, %arg8: memref<i64> {tilewright.output}, %arg9: memref<2x3xi64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i64 = arith.constant 0 : i64
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i64 {in_bounds = [true, true]} : memref<2x3xi64>, vector<2x3xi64>
    %c0_0 = arith.constant 0 : index
    %c0_i64_1 = arith.constant 0 : i64
    %1 = vector.transfer_read %arg1[%c0_0], %c0_i64_1 {in_bounds = [true]} : memref<3xi64>, vector<3xi64>
    %2 = vector.extractelement %1[%arg3 : index] : vector<3xi64>
    memref.store %2, %arg4[] : memref<i64>
    %3 = vector.insertelement %arg2, %1[%arg3 : index] : vector<3xi64>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %3, %arg5[%c0_2] {in_bounds = [true]} : vector<3xi64>, memref<3xi64>
    %4 = vector.extract %0[1] : vector<3xi64> from vector<2x3xi64>
    %c0_3 = arith.constant 0 : index
    vector.transfer_write %4, %arg6[%c0_3] {in_bounds = [true]} : vector<3xi64>, memref<3xi64>
    %5 = vector.insert %1, %0 [1] : vector<3xi64> into vector<2x3xi64>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %5, %arg7[%c0_4, %c0_4] {in_bounds = [true, true]} : vector<2x3xi64>, memref<2x3xi64>
    %6 = vector.extract %0[1, 0] : i64 from vector<2x3xi64>
    memref.store %6, %arg8[] : memref<i64>
    %7 = vector.insert %arg2, %0 [1, 0] : i64 into vector<2x3xi64>
    %c0_5 = arith.constant 0 : index
    vector.transfer_write %7, %arg9[%c0_5, %c0_5] {in_bounds = [true, true]} : vector<2x3xi64>, memref<2x3xi64>
    return
  }
}
