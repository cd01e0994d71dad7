// {"kind": "looked_up", "entry": "chunk151", "traits": [], "arguments": [["a0", ["memref", [1, 4], "i16"], [0, 0], false], ["a1", "index", [0, 0], false], ["a2", ["memref", [2], "i1"], [0, 0], false], ["a3", ["memref", [2], "i8"], [0, 0], false], ["a4", ["memref", [2], "i16"], [0, 0], false], ["o0", ["memref", [2], "i16"], [0, 0], true], ["o1", ["memref", [1, 4], "i16"], [0, 0], true]], "results": [["o0", ["memref", [2], "i16"], [0, 0], true], ["o1", ["memref", [1, 4], "i16"], [0, 0], true]]}
module {
  func.func @chunk151(%arg0: memref<1x4xi16>, %arg1: index, %arg2: memref<2xi1>, %arg3: memref<2xi8>, %arg4: memref<2xi16>, %arg5: memref<2xi16> {tilewright.output}, %arg6: memref<1x4xi16> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant dense<[3, 0]> : vector<2xi32>
    %c0_0 = arith.constant 0 : index
    %c0_i8 = arith.constant 0 : i8
    %0 = vector.transfer_read %arg3[%c0_0], %c0_i8 {in_bounds = [true]} : memref<2xi8>, vector<2xi8>
    %1 = arith.trunci %0 : vector<2xi8> to vector<2xi1>
    %c0_1 = arith.constant 0 : index
    %c0_i16 = arith.constant 0 : i16
    %2 = vector.transfer_read %arg4[%c0_1], %c0_i16 {in_bounds = [true]} : memref<2xi16>, vector<2xi16>
    %3 = vector.gather %arg0[%arg1, %c0] [%cst], %1, %2 : memref<1x4xi16>, vector<2xi32>, vector<2xi1>, vector<2xi16> into vector<2xi16>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %3, %arg5[%c0_2] {in_bounds = [true]} : vector<2xi16>, memref<2xi16>
    vector.scatter %arg0[%arg1, %c0] [%cst], %1, %2 : memref<1x4xi16>, vector<2xi32>, vector<2xi1>, vector<2xi16>
    memref.copy %arg0, %arg6 : memref<1x4xi16> to memref<1x4xi16>
    return
  }
}
