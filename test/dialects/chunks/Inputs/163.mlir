// {"kind": "narrowed", "entry": "chunk163", "traits": [], "arguments": [["a0", ["memref", [2], "i16"], [0, 0], false], ["o0", ["memref", [4], "i8"], [0, 0], true], ["o1", ["memref", [2], "i16"], [0, 0], true]], "results": [["o0", ["memref", [4], "i8"], [0, 0], true], ["o1", ["memref", [2], "i16"], [0, 0], true]]}
module {
  func.func @chunk163(%arg0: memref<2xi16>, %arg1: memref<4xi8> {tilewright.output}, %arg2: memref<2xi16> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i16 = arith.constant 0 : i16
    %0 = vector.transfer_read %arg0[%c0], %c0_i16 {in_bounds = [true]} : memref<2xi16>, vector<2xi16>
    %1 = vector.bitcast %0 : vector<2xi16> to vector<4xi8>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg1[%c0_0] {in_bounds = [true]} : vector<4xi8>, memref<4xi8>
    %2 = vector.bitcast %1 : vector<4xi8> to vector<2xi16>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %2, %arg2[%c0_1] {in_bounds = [true]} : vector<2xi16>, memref<2xi16>
    return
  }
}
