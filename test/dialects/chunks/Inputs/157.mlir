// {"kind": "masked", "entry": "chunk157", "traits": ["masked"], "arguments": [["a0", ["memref", [2, 4], "i8"], [0, 0], false], ["a1", ["memref", [2], "i8"], [0, 0], false], ["a2", ["memref", [2, 4], "i1"], [0, 0], false], ["a3", ["memref", [2, 4], "i8"], [0, 0], false], ["o0", ["memref", [2], "i8"], [0, 0], true]], "results": [["o0", ["memref", [2], "i8"], [0, 0], true]]}
module {
  func.func @chunk157(%arg0: memref<2x4xi8>, %arg1: memref<2xi8>, %arg2: memref<2x4xi1>, %arg3: memref<2x4xi8>, %arg4: memref<2xi8> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i8 = arith.constant 0 : i8
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i8 {in_bounds = [true, true]} : memref<2x4xi8>, vector<2x4xi8>
    %c0_0 = arith.constant 0 : index
    %c0_i8_1 = arith.constant 0 : i8
    %1 = vector.transfer_read %arg1[%c0_0], %c0_i8_1 {in_bounds = [true]} : memref<2xi8>, vector<2xi8>
    %c0_2 = arith.constant 0 : index
    %c0_i8_3 = arith.constant 0 : i8
    %2 = vector.transfer_read %arg3[%c0_2, %c0_2], %c0_i8_3 {in_bounds = [true, true]} : memref<2x4xi8>, vector<2x4xi8>
    %3 = arith.trunci %2 : vector<2x4xi8> to vector<2x4xi1>
    %4 = vector.mask %3 { vector.multi_reduction <minsi>, %0, %1 [1] : vector<2x4xi8> to vector<2xi8> } : vector<2x4xi1> -> vector<2xi8>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %4, %arg4[%c0_4] {in_bounds = [true]} : vector<2xi8>, memref<2xi8>
    return
  }
}
