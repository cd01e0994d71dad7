// {"kind": "scalable", "entry": "chunk171", "traits": ["not run"], "arguments": [["a0", "i32", [0, 7], false], ["o0", ["memref", [], "index"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true]]}
module {
  func.func @chunk171(%arg0: i32, %arg1: memref<index> {tilewright.output}) {
    %0 = vector.splat %arg0 : vector<[16]xi32>
    %1 = vector.scalable.extract %0[12] : vector<[4]xi32> from vector<[16]xi32>
    %2 = vector.scalable.insert %1, %0[4] : vector<[4]xi32> into vector<[16]xi32>
    %vscale = vector.vscale
    memref.store %vscale, %arg1[] : memref<index>
    return
  }
}
