// {"kind": "narrow", "entry": "chunk131", "traits": [], "arguments": [["a0", "i32", [0, 0], false], ["a1", ["memref", [4], "i8"], [0, 0], false], ["a2", "i8", [0, 0], false], ["a3", ["memref", [4], "i1"], [0, 0], false], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [5], "i4"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [5], "i4"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk131(%arg0: i32, %arg1: memref<4xi8>, %arg2: i8, %arg3: memref<4xi1>, %arg4: memref<3xi1> {tilewright.output}, %arg5: memref<6xi32> {tilewright.output}, %arg6: memref<5xi4> {tilewright.output}, %arg7: memref<1xi8> {tilewright.output}, %arg8: memref<5xindex> {tilewright.output}) {
    %c-4_i4 = arith.constant -4 : i4
    %0 = arith.maxsi %c-4_i4, %c-4_i4 : i4
    %c-2_i32 = arith.constant -2 : i32
    %c-2_i32_0 = arith.constant -2 : i32
    %c2_i32 = arith.constant 2 : i32
    %1:3 = scf.for %arg9 = %c-2_i32 to %c-2_i32_0 step %c2_i32 iter_args(%arg10 = %c2_i32, %arg11 = %c-2_i32, %arg12 = %c2_i32) -> (i32, i32, i32)  : i32 {
      scf.yield %arg10, %arg11, %arg10 : i32, i32, i32
    }
    %c0_i4 = arith.constant 0 : i4
    %2 = arith.shrui %0, %c0_i4 : i4
    %c5 = arith.constant 5 : index
    %c3 = arith.constant 3 : index
    %3 = arith.divsi %c5, %c3 : index
    %c-129_i32 = arith.constant -129 : i32
    %4 = arith.maxui %c-129_i32, %c2_i32 : i32
    %5 = arith.maxsi %c-4_i4, %c-4_i4 : i4
    %c0 = arith.constant 0 : index
    %6 = arith.minsi %3, %c0 : index
    %true = arith.constant true
    %7 = arith.maxui %true, %true : i1
    %8 = arith.cmpi ne, %arg2, %arg2 : i8
    memref.store %true, %arg4[%c0] : memref<3xi1>
    %c1 = arith.constant 1 : index
    memref.store %7, %arg4[%c1] : memref<3xi1>
    %c2 = arith.constant 2 : index
    memref.store %8, %arg4[%c2] : memref<3xi1>
    memref.store %c2_i32, %arg5[%c0] : memref<6xi32>
    memref.store %1#0, %arg5[%c1] : memref<6xi32>
    memref.store %1#1, %arg5[%c2] : memref<6xi32>
    %c3_1 = arith.constant 3 : index
    %c3_2 = arith.constant 3 : index
    memref.store %1#2, %arg5[%c3_1] : memref<6xi32>
    %c4 = arith.constant 4 : index
    memref.store %c-129_i32, %arg5[%c4] : memref<6xi32>
    memref.store %4, %arg5[%c5] : memref<6xi32>
    memref.store %c-4_i4, %arg6[%c0] : memref<5xi4>
    memref.store %0, %arg6[%c1] : memref<5xi4>
    %c2_3 = arith.constant 2 : index
    memref.store %c0_i4, %arg6[%c2_3] : memref<5xi4>
    memref.store %2, %arg6[%c3] : memref<5xi4>
    memref.store %5, %arg6[%c4] : memref<5xi4>
    %c0_4 = arith.constant 0 : index
    memref.store %arg2, %arg7[%c0_4] : memref<1xi8>
    memref.store %c5, %arg8[%c0_4] : memref<5xindex>
    memref.store %c3, %arg8[%c1] : memref<5xindex>
    %c2_5 = arith.constant 2 : index
    memref.store %3, %arg8[%c2_5] : memref<5xindex>
    memref.store %c0, %arg8[%c3] : memref<5xindex>
    memref.store %6, %arg8[%c4] : memref<5xindex>
    return
  }
}
