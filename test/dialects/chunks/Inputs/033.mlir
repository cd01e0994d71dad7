// {"kind": "index_comparisons", "entry": "chunk33", "traits": [], "arguments": [["a0", "index", [-2, 2], false], ["a1", "index", [-2, 2], false], ["o0", ["memref", [], "i1"], [0, 0], true], ["o1", ["memref", [], "i1"], [0, 0], true], ["o2", ["memref", [], "i1"], [0, 0], true], ["o3", ["memref", [], "i1"], [0, 0], true], ["o4", ["memref", [], "i1"], [0, 0], true], ["o5", ["memref", [], "i1"], [0, 0], true], ["o6", ["memref", [], "i1"], [0, 0], true], ["o7", ["memref", [], "i1"], [0, 0], true], ["o8", ["memref", [], "i1"], [0, 0], true], ["o9", ["memref", [], "i1"], [0, 0], true]], "results": [["o0", ["memref", [], "i1"], [0, 0], true], ["o1", ["memref", [], "i1"], [0, 0], true], ["o2", ["memref", [], "i1"], [0, 0], true], ["o3", ["memref", [], "i1"], [0, 0], true], ["o4", ["memref", [], "i1"], [0, 0], true], ["o5", ["memref", [], "i1"], [0, 0], true], ["o6", ["memref", [], "i1"], [0, 0], true], ["o7", ["memref", [], "i1"], [0, 0], true], ["o8", ["memref", [], "i1"], [0, 0], true], ["o9", ["memref", [], "i1"], [0, 0], true]]}
module {
  func.func @chunk33(%arg0: index, %arg1: index, %arg2: memref<i1> {tilewright.output}, %arg3: memref<i1> {tilewright.output}, %arg4: memref<i1> {tilewright.output}, %arg5: memref<i1> {tilewright.output}, %arg6: memref<i1> {tilewright.output}, %arg7: memref<i1> {tilewright.output}, %arg8: memref<i1> {tilewright.output}, %arg9: memref<i1> {tilewright.output}, %arg10: memref<i1> {tilewright.output}, %arg11: memref<i1> {tilewright.output}) {
    %0 = index.cmp eq(%arg0, %arg1)
    memref.store %0, %arg2[] : memref<i1>
    %1 = index.cmp ne(%arg0, %arg1)
    memref.store %1, %arg3[] : memref<i1>
    %2 = index.cmp slt(%arg0, %arg1)
    memref.store %2, %arg4[] : memref<i1>
    %3 = index.cmp sle(%arg0, %arg1)
    memref.store %3, %arg5[] : memref<i1>
    %4 = index.cmp sgt(%arg0, %arg1)
    memref.store %4, %arg6[] : memref<i1>
    %5 = index.cmp sge(%arg0, %arg1)
    memref.store %5, %arg7[] : memref<i1>
    %6 = index.cmp ult(%arg0, %arg1)
    memref.store %6, %arg8[] : memref<i1>
    %7 = index.cmp ule(%arg0, %arg1)
    memref.store %7, %arg9[] : memref<i1>
    %8 = index.cmp ugt(%arg0, %arg1)
    memref.store %8, %arg10[] : memref<i1>
    %9 = index.cmp uge(%arg0, %arg1)
    memref.store %9, %arg11[] : memref<i1>
    return
  }
}
