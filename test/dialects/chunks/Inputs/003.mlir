// {"kind": "affine_condition", "entry": "chunk3", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "index", [0, 7], false], ["a2", "i8", [0, 7], false], ["a3", "i8", [0, 7], false], ["o0", ["memref", [], "i8"], [0, 0], true]], "results": [["o0", ["memref", [], "i8"], [0, 0], true]]}
#set = affine_set<(d0, d1)[s0] : (d0 - 5 >= 0, -d1 - s0 + 7 >= 0, (d0 + d1) mod 2 - 1 == 0)>
module {
  func.func @chunk3(%arg0: index, %arg1: index, %arg2: i8, %arg3: i8, %arg4: memref<i8> {tilewright.output}) {
    %0 = affine.if #set(%arg0, %arg1)[%arg0] -> i8 {
      affine.yield %arg2 : i8
    } else {
      affine.yield %arg3 : i8
    }
    memref.store %0, %arg4[] : memref<i8>
    return
  }
}
