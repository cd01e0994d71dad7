// {"kind": "addresses", "entry": "chunk192", "traits": ["not run"], "arguments": [["a0", ["memref", [1], "f64"], [0, 0], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "f64"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "f64"], [0, 0], true]]}
module {
  func.func @chunk192(%arg0: memref<1xf64>, %arg1: memref<index> {tilewright.output}, %arg2: memref<f64> {tilewright.output}) {
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<1xf64> -> index
    memref.store %intptr, %arg1[] : memref<index>
    %memspacecast = memref.memory_space_cast %arg0 : memref<1xf64> to memref<1xf64, 2>
    %c0 = arith.constant 0 : index
    %0 = memref.load %memspacecast[%c0] : memref<1xf64, 2>
    memref.store %0, %arg2[] : memref<f64>
    %1 = vector.type_cast %arg0 : memref<1xf64> to memref<vector<1xf64>>
    return
  }
}
