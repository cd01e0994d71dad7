// {"kind": "reshaped", "entry": "chunk169", "traits": [], "arguments": [["a0", ["memref", [2, 1], "i8"], [0, 0], false], ["o0", ["memref", [2], "i8"], [0, 0], true], ["o1", ["memref", [2, 1], "i8"], [0, 0], true], ["o2", ["memref", [2, 1], "i8"], [0, 0], true]], "results": [["o0", ["memref", [2], "i8"], [0, 0], true], ["o1", ["memref", [2, 1], "i8"], [0, 0], true], ["o2", ["memref", [2, 1], "i8"], [0, 0], true]]}
module {
  func.func @chunk169(%arg0: memref<2x1xi8>, %arg1: memref<2xi8> {tilewright.output}, %arg2: memref<2x1xi8> {tilewright.output}, %arg3: memref<2x1xi8> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i8 = arith.constant 0 : i8
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i8 {in_bounds = [true, true]} : memref<2x1xi8>, vector<2x1xi8>
    %1 = vector.shape_cast %0 : vector<2x1xi8> to vector<2xi8>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg1[%c0_0] {in_bounds = [true]} : vector<2xi8>, memref<2xi8>
    %2 = vector.transpose %0, [0, 1] : vector<2x1xi8> to vector<2x1xi8>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %2, %arg2[%c0_1, %c0_1] {in_bounds = [true, true]} : vector<2x1xi8>, memref<2x1xi8>
    %3 = vector.bitcast %0 : vector<2x1xi8> to vector<2x1xi8>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %3, %arg3[%c0_2, %c0_2] {in_bounds = [true, true]} : vector<2x1xi8>, memref<2x1xi8>
    return
  }
}
