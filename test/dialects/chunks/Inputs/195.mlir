// {"kind": "affine_condition", "entry": "chunk195", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "index", [0, 7], false], ["a2", "i16", [0, 7], false], ["a3", "i16", [0, 7], false], ["o0", ["memref", [], "i16"], [0, 0], true]], "results": [["o0", ["memref", [], "i16"], [0, 0], true]]}
#set = affine_set<(d0, d1)[s0] : (d0 - 1 >= 0, -d1 - s0 + 3 >= 0, (d0 + d1) mod 2 - 1 == 0)>
module {
  func.func @chunk195(%arg0: index, %arg1: index, %arg2: i16, %arg3: i16, %arg4: memref<i16> {tilewright.output}) {
    %0 = affine.if #set(%arg0, %arg1)[%arg0] -> i16 {
      affine.yield %arg2 : i16
    } else {
      affine.yield %arg3 : i16
    }
    memref.store %0, %arg4[] : memref<i16>
    return
  }
}
