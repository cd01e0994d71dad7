// {"kind": "narrow", "entry": "chunk5", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "i8", [0, 0], false], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i4", ["memref", [7], "i4"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [10], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i4", ["memref", [7], "i4"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [10], "index"], [0, 0], true]]}
module {
  func.func @chunk5(%arg0: index, %arg1: i8, %arg2: memref<8xi1> {tilewright.output}, %arg3: memref<8xi32> {tilewright.output}, %arg4: memref<7xi4> {tilewright.output}, %arg5: memref<5xi8> {tilewright.output}, %arg6: memref<10xindex> {tilewright.output}) {
    %true = arith.constant true
    %0 = arith.maxsi %true, %true : i1
    %c1 = arith.constant 1 : index
    %1 = arith.floordivsi %arg0, %c1 : index
    %c9_i32 = arith.constant 9 : i32
    %c9_i32_0 = arith.constant 9 : i32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %2:2 = scf.while (%arg7 = %c0, %arg8 = %c9_i32) : (index, i32) -> (index, i32) {
      %19 = arith.cmpi slt, %arg7, %c2 : index
      scf.condition(%19) %arg7, %arg8 : index, i32
    } do {
    ^bb0(%arg7: index, %arg8: i32):
      %19 = arith.addi %arg7, %c1_1 : index
      scf.yield %19, %c9_i32 : index, i32
    }
    %3 = arith.andi %true, %true : i1
    %c0_2 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    %4:2 = scf.while (%arg7 = %c0, %arg8 = %arg1) : (index, i8) -> (index, i8) {
      %19 = arith.cmpi slt, %arg7, %c0_2 : index
      %20 = arith.cmpi sgt, %arg0, %1 : index
      %21 = arith.andi %19, %20 : i1
      scf.condition(%21) %arg7, %arg8 : index, i8
    } do {
    ^bb0(%arg7: index, %arg8: i8):
      %c4_i4 = arith.constant 4 : i4
      %c3_i4 = arith.constant 3 : i4
      %19 = arith.andi %c4_i4, %c3_i4 : i4
      %20 = arith.shrui %19, %19 : i4
      %21 = arith.shrui %19, %19 : i4
      %22 = arith.addi %arg7, %c1_3 : index
      scf.yield %22, %arg1 : index, i8
    }
    %c7 = arith.constant 7 : index
    %c4 = arith.constant 4 : index
    %5 = arith.addi %c7, %c4 : index
    %6 = arith.cmpi sgt, %arg0, %1 : index
    %7 = arith.cmpi ule, %arg1, %arg1 : i8
    %c0_i4 = arith.constant 0 : i4
    %8 = arith.extsi %c0_i4 : i4 to i8
    %c1_4 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %9:4 = scf.for %arg7 = %c2 to %c6 step %c1_4 iter_args(%arg8 = %c0_i4, %arg9 = %4#1, %arg10 = %3, %arg11 = %c9_i32) -> (i4, i8, i1, i32) {
      %19 = arith.index_cast %2#0 : index to i32
      %20 = arith.floordivsi %4#0, %c2 : index
      %21 = arith.floordivsi %4#0, %c2 : index
      %22 = arith.cmpi eq, %arg7, %c7 : index
      %23 = arith.cmpi eq, %7, %7 : i1
      scf.yield %arg8, %arg9, %23, %19 : i4, i8, i1, i32
    }
    %10 = arith.cmpi ult, %9#0, %9#0 : i4
    %c7_i4 = arith.constant 7 : i4
    %11 = arith.andi %c7_i4, %c7_i4 : i4
    %c1_i4 = arith.constant 1 : i4
    %12 = arith.ori %11, %c1_i4 : i4
    %13 = arith.divui %c0_i4, %12 : i4
    %14 = arith.maxui %c9_i32, %9#3 : i32
    %15 = arith.minui %7, %9#2 : i1
    %16 = arith.subi %9#1, %4#1 : i8
    %17 = arith.minui %2#1, %9#3 : i32
    %c31_i32 = arith.constant 31 : i32
    %c2_i32 = arith.constant 2 : i32
    %18 = arith.shrui %c2_i32, %c31_i32 : i32
    memref.store %true, %arg2[%c0] : memref<8xi1>
    memref.store %0, %arg2[%c1] : memref<8xi1>
    memref.store %3, %arg2[%c2] : memref<8xi1>
    %c3 = arith.constant 3 : index
    memref.store %6, %arg2[%c3] : memref<8xi1>
    memref.store %7, %arg2[%c4] : memref<8xi1>
    %c5 = arith.constant 5 : index
    memref.store %9#2, %arg2[%c5] : memref<8xi1>
    %c6_5 = arith.constant 6 : index
    memref.store %10, %arg2[%c6_5] : memref<8xi1>
    %c7_6 = arith.constant 7 : index
    memref.store %15, %arg2[%c7_6] : memref<8xi1>
    memref.store %c9_i32, %arg3[%c0_2] : memref<8xi32>
    memref.store %2#1, %arg3[%c1] : memref<8xi32>
    memref.store %9#3, %arg3[%c2] : memref<8xi32>
    memref.store %14, %arg3[%c3] : memref<8xi32>
    memref.store %17, %arg3[%c4] : memref<8xi32>
    memref.store %c31_i32, %arg3[%c5] : memref<8xi32>
    memref.store %c2_i32, %arg3[%c6] : memref<8xi32>
    memref.store %18, %arg3[%c7_6] : memref<8xi32>
    memref.store %c0_i4, %arg4[%c0] : memref<7xi4>
    memref.store %9#0, %arg4[%c1_1] : memref<7xi4>
    memref.store %c7_i4, %arg4[%c2] : memref<7xi4>
    memref.store %11, %arg4[%c3] : memref<7xi4>
    memref.store %c1_i4, %arg4[%c4] : memref<7xi4>
    %c5_7 = arith.constant 5 : index
    memref.store %12, %arg4[%c5_7] : memref<7xi4>
    memref.store %13, %arg4[%c6] : memref<7xi4>
    memref.store %arg1, %arg5[%c0] : memref<5xi8>
    memref.store %4#1, %arg5[%c1] : memref<5xi8>
    %c2_8 = arith.constant 2 : index
    memref.store %8, %arg5[%c2_8] : memref<5xi8>
    %c3_9 = arith.constant 3 : index
    memref.store %9#1, %arg5[%c3_9] : memref<5xi8>
    memref.store %16, %arg5[%c4] : memref<5xi8>
    memref.store %4#0, %arg6[%c0] : memref<10xindex>
    memref.store %c7, %arg6[%c1_3] : memref<10xindex>
    memref.store %c4, %arg6[%c2_8] : memref<10xindex>
    memref.store %5, %arg6[%c3] : memref<10xindex>
    memref.store %c1_4, %arg6[%c4] : memref<10xindex>
    memref.store %c6, %arg6[%c5_7] : memref<10xindex>
    memref.store %arg0, %arg6[%c6_5] : memref<10xindex>
    memref.store %c1, %arg6[%c7] : memref<10xindex>
    %c8 = arith.constant 8 : index
    memref.store %c2, %arg6[%c8] : memref<10xindex>
    %c9 = arith.constant 9 : index
    memref.store %c0, %arg6[%c9] : memref<10xindex>
    return
  }
}
