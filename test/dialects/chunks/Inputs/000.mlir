// {"kind": "addresses", "entry": "chunk0", "traits": ["not run"], "arguments": [["a0", ["memref", [1], "i16"], [0, 0], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "i16"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "i16"], [0, 0], true]]}
module {
  func.func @chunk0(%arg0: memref<1xi16>, %arg1: memref<index> {tilewright.output}, %arg2: memref<i16> {tilewright.output}) {
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<1xi16> -> index
    memref.store %intptr, %arg1[] : memref<index>
    %memspacecast = memref.memory_space_cast %arg0 : memref<1xi16> to memref<1xi16, 3>
    %c0 = arith.constant 0 : index
    %0 = memref.load %memspacecast[%c0] : memref<1xi16, 3>
    memref.store %0, %arg2[] : memref<i16>
    %1 = vector.type_cast %arg0 : memref<1xi16> to memref<vector<1xi16>>
    return
  }
}
