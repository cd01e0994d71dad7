// {"kind": "memory", "entry": "chunk160", "traits": [], "arguments": [["a0", ["memref", [4, 2], "i8"], [0, 0], false], ["a1", "index", [0, 3], false], ["a2", "index", [0, 1], false], ["a3", ["memref", [1], "i1"], [0, 0], false], ["a4", ["memref", [1], "i8"], [0, 0], false], ["a5", ["memref", [1], "i8"], [0, 0], false], ["o0", ["memref", [1], "i8"], [0, 0], true], ["o1", ["memref", [1], "i8"], [0, 0], true], ["o2", ["memref", [4, 2], "i8"], [0, 0], true], ["o3", ["memref", [4, 2], "i8"], [0, 0], true], ["o4", ["memref", [1], "i8"], [0, 0], true], ["o5", ["memref", [4, 2], "i8"], [0, 0], true]], "results": [["o0", ["memref", [1], "i8"], [0, 0], true], ["o1", ["memref", [1], "i8"], [0, 0], true], ["o2", ["memref", [4, 2], "i8"], [0, 0], true], ["o3", ["memref", [4, 2], "i8"], [0, 0], true], ["o4", ["memref", [1], "i8"], [0, 0], true], ["o5", ["memref", [4, 2], "i8"], [0, 0], true]]}
module {
  func.func @chunk160(%arg0: memref<4x2xi8>, %arg1: index, %arg2: index, %arg3: memref<1xi1>, %arg4: memref<1xi8>, %arg5: memref<1xi8>, %arg6: memref<1xi8> {tilewright.output}, %arg7: memref<1xi8> {tilewright.output}, %arg8: memref<4x2xi8> {tilewright.output}, %arg9: memref<4x2xi8> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}, %arg11: memref<4x2xi8> {tilewright.output}) {
    %0 = vector.load %arg0[%arg1, %arg2] : memref<4x2xi8>, vector<1xi8>
    %c0 = arith.constant 0 : index
    vector.transfer_write %0, %arg6[%c0] {in_bounds = [true]} : vector<1xi8>, memref<1xi8>
    %c0_0 = arith.constant 0 : index
    %c0_i8 = arith.constant 0 : i8
    %1 = vector.transfer_read %arg4[%c0_0], %c0_i8 {in_bounds = [true]} : memref<1xi8>, vector<1xi8>
    %2 = arith.trunci %1 : vector<1xi8> to vector<1xi1>
    %c0_1 = arith.constant 0 : index
    %c0_i8_2 = arith.constant 0 : i8
    %3 = vector.transfer_read %arg5[%c0_1], %c0_i8_2 {in_bounds = [true]} : memref<1xi8>, vector<1xi8>
    %4 = vector.maskedload %arg0[%arg1, %arg2], %2, %3 : memref<4x2xi8>, vector<1xi1>, vector<1xi8> into vector<1xi8>
    %c0_3 = arith.constant 0 : index
    vector.transfer_write %4, %arg7[%c0_3] {in_bounds = [true]} : vector<1xi8>, memref<1xi8>
    vector.maskedstore %arg0[%arg1, %arg2], %2, %3 : memref<4x2xi8>, vector<1xi1>, vector<1xi8>
    memref.copy %arg0, %arg8 : memref<4x2xi8> to memref<4x2xi8>
    vector.store %0, %arg0[%arg1, %arg2] : memref<4x2xi8>, vector<1xi8>
    memref.copy %arg0, %arg9 : memref<4x2xi8> to memref<4x2xi8>
    %5 = vector.expandload %arg0[%arg1, %arg2], %2, %3 : memref<4x2xi8>, vector<1xi1>, vector<1xi8> into vector<1xi8>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %5, %arg10[%c0_4] {in_bounds = [true]} : vector<1xi8>, memref<1xi8>
    vector.compressstore %arg0[%arg1, %arg2], %2, %3 : memref<4x2xi8>, vector<1xi1>, vector<1xi8>
    memref.copy %arg0, %arg11 : memref<4x2xi8> to memref<4x2xi8>
    return
  }
}
