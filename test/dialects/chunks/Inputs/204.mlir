// {"kind": "cells", "entry": "chunk204", "traits": ["rank 0"], "arguments": [["a0", ["memref", [1], "f64"], [0, 0], false], ["a1", "f64", [0, 7], false], ["o0", ["memref", [], "f64"], [0, 0], true], ["o1", ["memref", [1], "f64"], [0, 0], true], ["o2", ["memref", [], "f64"], [0, 0], true]], "results": [["o0", ["memref", [], "f64"], [0, 0], true], ["o1", ["memref", [1], "f64"], [0, 0], true], ["o2", ["memref", [], "f64"], [0, 0], true]]}
module {
  func.func @chunk204(%arg0: memref<1xf64>, %arg1: f64, %arg2: memref<f64> {tilewright.output}, %arg3: memref<1xf64> {tilewright.output}, %arg4: memref<f64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %0 = memref.load %arg0[%c0] : memref<1xf64>
    %1 = vector.broadcast %0 : f64 to vector<f64>
    %2 = vector.extractelement %1[] : vector<f64>
    memref.store %2, %arg2[] : memref<f64>
    %3 = vector.insertelement %arg1, %1[] : vector<f64>
    %4 = vector.extract %3[] : f64 from vector<f64>
    %c0_0 = arith.constant 0 : index
    memref.store %4, %arg3[%c0_0] : memref<1xf64>
    %5 = vector.extract %1[] : f64 from vector<f64>
    memref.store %5, %arg4[] : memref<f64>
    return
  }
}
