// {"kind": "atomics", "entry": "chunk201", "traits": [], "arguments": [["a0", ["memref", [5], "i16"], [0, 0], false], ["a1", "i16", [0, 7], false], ["a2", "index", [0, 4], false], ["o0", ["memref", [], "i16"], [0, 0], true], ["o1", ["memref", [], "i16"], [0, 0], true], ["o2", ["memref", [], "i16"], [0, 0], true], ["o3", ["memref", [], "i16"], [0, 0], true], ["o4", ["memref", [], "i16"], [0, 0], true], ["o5", ["memref", [5], "i16"], [0, 0], true]], "results": [["o0", ["memref", [], "i16"], [0, 0], true], ["o1", ["memref", [], "i16"], [0, 0], true], ["o2", ["memref", [], "i16"], [0, 0], true], ["o3", ["memref", [], "i16"], [0, 0], true], ["o4", ["memref", [], "i16"], [0, 0], true], ["o5", ["memref", [5], "i16"], [0, 0], true]]}
module {
  func.func @chunk201(%arg0: memref<5xi16>, %arg1: i16, %arg2: index, %arg3: memref<i16> {tilewright.output}, %arg4: memref<i16> {tilewright.output}, %arg5: memref<i16> {tilewright.output}, %arg6: memref<i16> {tilewright.output}, %arg7: memref<i16> {tilewright.output}, %arg8: memref<5xi16> {tilewright.output}) {
    %0 = memref.atomic_rmw maxu %arg1, %arg0[%arg2] : (i16, memref<5xi16>) -> i16
    memref.store %0, %arg3[] : memref<i16>
    %1 = memref.atomic_rmw addi %arg1, %arg0[%arg2] : (i16, memref<5xi16>) -> i16
    memref.store %1, %arg4[] : memref<i16>
    %2 = memref.atomic_rmw maxs %arg1, %arg0[%arg2] : (i16, memref<5xi16>) -> i16
    memref.store %2, %arg5[] : memref<i16>
    %3 = memref.atomic_rmw assign %arg1, %arg0[%arg2] : (i16, memref<5xi16>) -> i16
    memref.store %3, %arg6[] : memref<i16>
    %4 = memref.generic_atomic_rmw %arg0[%arg2] : memref<5xi16> {
    ^bb0(%arg9: i16):
      %5 = arith.muli %arg9, %arg1 : i16
      memref.atomic_yield %5 : i16
    }
    memref.store %4, %arg7[] : memref<i16>
    memref.copy %arg0, %arg8 : memref<5xi16> to memref<5xi16>
    return
  }
}
