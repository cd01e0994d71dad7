// {"kind": "indirect", "entry": "chunk34", "traits": [], "arguments": [["a0", "i8", [0, 7], false], ["o0", ["memref", [], "i8"], [0, 0], true]], "results": [["o0", ["memref", [], "i8"], [0, 0], true]]}
module {
  func.func private @chunk34_callee(%arg0: i8) -> i8 {
    %0 = arith.addi %arg0, %arg0 : i8
    return %0 : i8
  }
  func.func @chunk34(%arg0: i8, %arg1: memref<i8> {tilewright.output}) {
    %f = constant @chunk34_callee : (i8) -> i8
    %0 = call_indirect %f(%arg0) : (i8) -> i8
    memref.store %0, %arg1[] : memref<i8>
    %1 = arith.cmpi eq, %arg0, %arg0 : i8
    cf.assert %1, "always"
    return
  }
}
