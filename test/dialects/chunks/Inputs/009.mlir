// {"kind": "atomics", "entry": "chunk9", "traits": [], "arguments": [["a0", ["memref", [1], "i8"], [0, 0], false], ["a1", "i8", [0, 7], false], ["a2", "index", [0, 0], false], ["o0", ["memref", [], "i8"], [0, 0], true], ["o1", ["memref", [], "i8"], [0, 0], true], ["o2", ["memref", [], "i8"], [0, 0], true], ["o3", ["memref", [], "i8"], [0, 0], true], ["o4", ["memref", [], "i8"], [0, 0], true], ["o5", ["memref", [1], "i8"], [0, 0], true]], "results": [["o0", ["memref", [], "i8"], [0, 0], true], ["o1", ["memref", [], "i8"], [0, 0], true], ["o2", ["memref", [], "i8"], [0, 0], true], ["o3", ["memref", [], "i8"], [0, 0], true], ["o4", ["memref", [], "i8"], [0, 0], true], ["o5", ["memref", [1], "i8"], [0, 0], true]]}
module {
  func.func @chunk9(%arg0: memref<1xi8>, %arg1: i8, %arg2: index, %arg3: memref<i8> {tilewright.output}, %arg4: memref<i8> {tilewright.output}, %arg5: memref<i8> {tilewright.output}, %arg6: memref<i8> {tilewright.output}, %arg7: memref<i8> {tilewright.output}, %arg8: memref<1xi8> {tilewright.output}) {
    %0 = memref.atomic_rmw assign %arg1, %arg0[%arg2] : (i8, memref<1xi8>) -> i8
    memref.store %0, %arg3[] : memref<i8>
    %1 = memref.atomic_rmw minu %arg1, %arg0[%arg2] : (i8, memref<1xi8>) -> i8
    memref.store %1, %arg4[] : memref<i8>
    %2 = memref.atomic_rmw maxu %arg1, %arg0[%arg2] : (i8, memref<1xi8>) -> i8
    memref.store %2, %arg5[] : memref<i8>
    %3 = memref.atomic_rmw maxs %arg1, %arg0[%arg2] : (i8, memref<1xi8>) -> i8
    memref.store %3, %arg6[] : memref<i8>
    %4 = memref.generic_atomic_rmw %arg0[%arg2] : memref<1xi8> {
    ^bb0(%arg9: i8):
      %5 = arith.muli %arg9, %arg1 : i8
      memref.atomic_yield %5 : i8
    }
    memref.store %4, %arg7[] : memref<i8>
    memref.copy %arg0, %arg8 : memref<1xi8> to memref<1xi8>
    return
  }
}
