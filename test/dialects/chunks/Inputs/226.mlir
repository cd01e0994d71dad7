// {"kind": "indirect", "entry": "chunk226", "traits": [], "arguments": [["a0", "i32", [0, 7], false], ["o0", ["memref", [], "i32"], [0, 0], true]], "results": [["o0", ["memref", [], "i32"], [0, 0], true]]}
module {
  func.func private @chunk226_callee(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    return %0 : i32
  }
  func.func @chunk226(%arg0: i32, %arg1: memref<i32> {tilewright.output}) {
    %f = constant @chunk226_callee : (i32) -> i32
    %0 = call_indirect %f(%arg0) : (i32) -> i32
    memref.store %0, %arg1[] : memref<i32>
    %1 = arith.cmpi eq, %arg0, %arg0 : i32
    cf.assert %1, "holds"
    return
  }
}
