// {"kind": "index_casts", "entry": "chunk223", "traits": [], "arguments": [["a0", "i32", [0, 7], false], ["a1", "index", [-9, 9], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "i32"], [0, 0], true], ["o2", ["memref", [], "i64"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "i32"], [0, 0], true], ["o5", ["memref", [], "i64"], [0, 0], true], ["o6", ["memref", [], "index"], [0, 0], true], ["o7", ["memref", [], "i1"], [0, 0], true], ["o8", ["memref", [], "index"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "i32"], [0, 0], true], ["o2", ["memref", [], "i64"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "i32"], [0, 0], true], ["o5", ["memref", [], "i64"], [0, 0], true], ["o6", ["memref", [], "index"], [0, 0], true], ["o7", ["memref", [], "i1"], [0, 0], true], ["o8", ["memref", [], "index"], [0, 0], true]]}
module {
  func.func @chunk223(%arg0: i32, %arg1: index, %arg2: memref<index> {tilewright.output}, %arg3: memref<i32> {tilewright.output}, %arg4: memref<i64> {tilewright.output}, %arg5: memref<index> {tilewright.output}, %arg6: memref<i32> {tilewright.output}, %arg7: memref<i64> {tilewright.output}, %arg8: memref<index> {tilewright.output}, %arg9: memref<i1> {tilewright.output}, %arg10: memref<index> {tilewright.output}) {
    %0 = index.casts %arg0 : i32 to index
    memref.store %0, %arg2[] : memref<index>
    %1 = index.casts %0 : index to i32
    memref.store %1, %arg3[] : memref<i32>
    %2 = index.casts %arg1 : index to i64
    memref.store %2, %arg4[] : memref<i64>
    %3 = index.castu %arg0 : i32 to index
    memref.store %3, %arg5[] : memref<index>
    %4 = index.castu %3 : index to i32
    memref.store %4, %arg6[] : memref<i32>
    %5 = index.castu %arg1 : index to i64
    memref.store %5, %arg7[] : memref<i64>
    %idx22 = index.constant 22
    memref.store %idx22, %arg8[] : memref<index>
    %false = index.bool.constant false
    memref.store %false, %arg9[] : memref<i1>
    %6 = index.sizeof
    memref.store %6, %arg10[] : memref<index>
    return
  }
}
