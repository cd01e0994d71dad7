// {"kind": "cells", "entry": "chunk12", "traits": ["rank 0"], "arguments": [["a0", ["memref", [1], "i16"], [0, 0], false], ["a1", "i16", [0, 7], false], ["o0", ["memref", [], "i16"], [0, 0], true], ["o1", ["memref", [1], "i16"], [0, 0], true], ["o2", ["memref", [], "i16"], [0, 0], true]], "results": [["o0", ["memref", [], "i16"], [0, 0], true], ["o1", ["memref", [1], "i16"], [0, 0], true], ["o2", ["memref", [], "i16"], [0, 0], true]]}
module {
  func.func @chunk12(%arg0: memref<1xi16>, %arg1: i16, %arg2: memref<i16> {tilewright.output}, %arg3: memref<1xi16> {tilewright.output}, %arg4: memref<i16> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %0 = memref.load %arg0[%c0] : memref<1xi16>
    %1 = vector.broadcast %0 : i16 to vector<i16>
    %2 = vector.extractelement %1[] : vector<i16>
    memref.store %2, %arg2[] : memref<i16>
    %3 = vector.insertelement %arg1, %1[] : vector<i16>
    %4 = vector.extract %3[] : i16 from vector<i16>
    %c0_0 = arith.constant 0 : index
    memref.store %4, %arg3[%c0_0] : memref<1xi16>
    %5 = vector.extract %1[] : i16 from vector<i16>
    memref.store %5, %arg4[] : memref<i16>
    return
  }
}
