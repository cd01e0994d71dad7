// {"kind": "memory", "entry": "chunk266", "traits": [], "arguments": [["a0", ["memref", [1, 4], "i64"], [0, 0], false], ["a1", ["memref", [], "i16"], [0, 0], false], ["a2", ["memref", [2, 4, 1], "i8"], [0, 0], false], ["a3", "i32", [0, 0], false], ["a4", ["memref", [1, 4], "i64"], [0, 0], false], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out3", ["memref", [1, 4], "i64"], [0, 0], true]], "results": [["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out3", ["memref", [1, 4], "i64"], [0, 0], true]]}
module {
  func.func @chunk266(%arg0: memref<1x4xi64>, %arg1: memref<i16>, %arg2: memref<2x4x1xi8>, %arg3: i32, %arg4: memref<1x4xi64>, %arg5: memref<4xi1> {tilewright.output}, %arg6: memref<1xi32> {tilewright.output}, %arg7: memref<6xindex> {tilewright.output}, %arg8: memref<1x4xi64> {tilewright.output}) {
    %true = arith.constant true
    %false = arith.constant false
    %false_0 = arith.constant false
    %0 = arith.select %true, %false, %false_0 : i1
    %c-1 = arith.constant -1 : index
    %c3 = arith.constant 3 : index
    %1 = arith.floordivsi %c-1, %c3 : index
    %alloca = memref.alloca() : memref<1x4xi64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg9 = %c0 to %c1 step %c1 {
      %c4_1 = arith.constant 4 : index
      scf.for %arg10 = %c0 to %c4_1 step %c1 {
        %c7236745175581001545_i64 = arith.constant 7236745175581001545 : i64
        memref.store %c7236745175581001545_i64, %alloca[%arg9, %arg10] : memref<1x4xi64>
      }
    }
    memref.copy %arg4, %alloca : memref<1x4xi64> to memref<1x4xi64>
    %2 = arith.muli %1, %1 : index
    memref.store %true, %arg5[%c0] : memref<4xi1>
    memref.store %false, %arg5[%c1] : memref<4xi1>
    %c2 = arith.constant 2 : index
    memref.store %false_0, %arg5[%c2] : memref<4xi1>
    memref.store %0, %arg5[%c3] : memref<4xi1>
    memref.store %arg3, %arg6[%c0] : memref<1xi32>
    memref.store %c-1, %arg7[%c0] : memref<6xindex>
    memref.store %c3, %arg7[%c1] : memref<6xindex>
    memref.store %1, %arg7[%c2] : memref<6xindex>
    memref.store %c0, %arg7[%c3] : memref<6xindex>
    %c4 = arith.constant 4 : index
    memref.store %c1, %arg7[%c4] : memref<6xindex>
    %c5 = arith.constant 5 : index
    memref.store %2, %arg7[%c5] : memref<6xindex>
    memref.copy %alloca, %arg8 : memref<1x4xi64> to memref<1x4xi64>
    return
  }
}
