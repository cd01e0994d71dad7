// {"kind": "narrow", "entry": "chunk299", "traits": [], "arguments": [["a0", "i8", [0, 0], false], ["a1", "index", [0, 7], false], ["a2", "index", [0, 7], false], ["a3", ["memref", [4, 1, 1], "i4"], [0, 0], false], ["a4", "i1", [0, 0], false], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [5], "i4"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [5], "i4"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
module {
  func.func @chunk299(%arg0: i8, %arg1: index, %arg2: index, %arg3: memref<4x1x1xi4>, %arg4: i1, %arg5: memref<8xi1> {tilewright.output}, %arg6: memref<6xi32> {tilewright.output}, %arg7: memref<5xi4> {tilewright.output}, %arg8: memref<7xi8> {tilewright.output}, %arg9: memref<8xindex> {tilewright.output}) {
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c-8_i4 = arith.constant -8 : i4
    %0:2 = scf.for %arg10 = %c-3 to %c1_0 step %c1 iter_args(%arg11 = %c-8_i4, %arg12 = %arg0) -> (i4, i8) {
      %18 = arith.andi %c-8_i4, %arg11 : i4
      %c113_i8 = arith.constant 113 : i8
      %19 = scf.if %arg4 -> (i8) {
        %c-2147483647_i32 = arith.constant -2147483647 : i32
        %c-2147483647_i32_7 = arith.constant -2147483647 : i32
        %c31_i32 = arith.constant 31 : i32
        %24 = arith.andi %c-2147483647_i32, %c31_i32 : i32
        %25 = arith.shrui %c31_i32, %24 : i32
        scf.yield %c113_i8 : i8
      } else {
        %c-22_i8 = arith.constant -22 : i8
        scf.yield %c-22_i8 : i8
      }
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %c4_6 = arith.constant 4 : index
      %c-257_i32 = arith.constant -257 : i32
      %20:2 = scf.for %arg13 = %c0_4 to %c4_6 step %c1_5 iter_args(%arg14 = %c-257_i32, %arg15 = %arg4) -> (i32, i1) {
        %24 = arith.cmpi eq, %c-8_i4, %18 : i4
        %25 = arith.select %24, %arg15, %arg4 : i1
        scf.yield %c-257_i32, %arg15 : i32, i1
      }
      %21 = arith.extsi %c113_i8 : i8 to i32
      %22 = arith.extsi %arg12 : i8 to i32
      %23 = arith.addi %21, %22 overflow<nsw> : i32
      scf.yield %arg11, %arg12 : i4, i8
    }
    %1 = arith.ori %arg4, %arg4 : i1
    %2 = arith.cmpi uge, %arg0, %arg0 : i8
    %low, %high = arith.mului_extended %arg0, %arg0 : i8
    %3 = arith.cmpi ule, %arg2, %arg2 : index
    %4 = arith.minui %1, %1 : i1
    %5 = arith.select %arg4, %3, %2 : i1
    %6 = arith.extsi %0#0 : i4 to i8
    %7 = arith.select %3, %0#1, %high : i8
    %c1_i4 = arith.constant 1 : i4
    %8 = arith.shrui %c1_i4, %c1_i4 : i4
    %c255_i32 = arith.constant 255 : i32
    %9:2 = scf.if %1 -> (i32, i4) {
      %18 = arith.extsi %7 : i8 to i32
      %19 = arith.extsi %low : i8 to i32
      %20 = arith.muli %18, %19 overflow<nsw> : i32
      %21 = arith.select %1, %1, %4 : i1
      %c0_4 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %22 = arith.floordivsi %c0_4, %c8 : index
      scf.yield %18, %c1_i4 : i32, i4
    } else {
      %18 = arith.extui %5 : i1 to i4
      scf.yield %c255_i32, %18 : i32, i4
    }
    %10:2 = scf.if %arg4 -> (i1, i32) {
      scf.yield %5, %9#0 : i1, i32
    } else {
      scf.yield %5, %c255_i32 : i1, i32
    }
    %11 = arith.cmpi sgt, %9#0, %c255_i32 : i32
    %12 = arith.select %5, %c255_i32, %c255_i32 : i32
    %c63_i32 = arith.constant 63 : i32
    %13 = arith.andi %10#1, %c63_i32 : i32
    %14 = arith.index_castui %13 : i32 to index
    %15 = arith.andi %12, %10#1 : i32
    %c3 = arith.constant 3 : index
    %16 = arith.ceildivsi %arg1, %c3 : index
    %c2147483646_i32 = arith.constant 2147483646 : i32
    %17:2 = scf.if %11 -> (i8, i32) {
      %c31_i32 = arith.constant 31 : i32
      %18 = arith.andi %10#1, %c31_i32 : i32
      %19 = arith.shrui %c63_i32, %18 : i32
      %20 = arith.cmpi slt, %arg1, %16 : index
      scf.yield %7, %18 : i8, i32
    } else {
      %true = arith.constant true
      %18 = arith.select %true, %9#1, %c1_i4 : i4
      %19 = arith.select %true, %9#1, %c1_i4 : i4
      %c-4 = arith.constant -4 : index
      %20 = arith.maxsi %14, %c-4 : index
      %c1_i4_4 = arith.constant 1 : i4
      %c1_i4_5 = arith.constant 1 : i4
      %21 = arith.shrui %0#0, %c1_i4_4 : i4
      scf.yield %0#1, %c63_i32 : i8, i32
    }
    %c0 = arith.constant 0 : index
    memref.store %arg4, %arg5[%c0] : memref<8xi1>
    memref.store %1, %arg5[%c1_0] : memref<8xi1>
    %c2 = arith.constant 2 : index
    memref.store %2, %arg5[%c2] : memref<8xi1>
    memref.store %3, %arg5[%c3] : memref<8xi1>
    %c4 = arith.constant 4 : index
    memref.store %4, %arg5[%c4] : memref<8xi1>
    %c5 = arith.constant 5 : index
    memref.store %5, %arg5[%c5] : memref<8xi1>
    %c6 = arith.constant 6 : index
    memref.store %10#0, %arg5[%c6] : memref<8xi1>
    %c7 = arith.constant 7 : index
    memref.store %11, %arg5[%c7] : memref<8xi1>
    %c0_1 = arith.constant 0 : index
    memref.store %12, %arg6[%c0_1] : memref<6xi32>
    memref.store %c63_i32, %arg6[%c1_0] : memref<6xi32>
    %c2_2 = arith.constant 2 : index
    memref.store %13, %arg6[%c2_2] : memref<6xi32>
    memref.store %15, %arg6[%c3] : memref<6xi32>
    memref.store %c2147483646_i32, %arg6[%c4] : memref<6xi32>
    memref.store %17#1, %arg6[%c5] : memref<6xi32>
    memref.store %c-8_i4, %arg7[%c0_1] : memref<5xi4>
    memref.store %0#0, %arg7[%c1] : memref<5xi4>
    memref.store %c1_i4, %arg7[%c2] : memref<5xi4>
    memref.store %8, %arg7[%c3] : memref<5xi4>
    memref.store %9#1, %arg7[%c4] : memref<5xi4>
    memref.store %arg0, %arg8[%c0] : memref<7xi8>
    %c1_3 = arith.constant 1 : index
    memref.store %0#1, %arg8[%c1_3] : memref<7xi8>
    memref.store %low, %arg8[%c2_2] : memref<7xi8>
    memref.store %high, %arg8[%c3] : memref<7xi8>
    memref.store %6, %arg8[%c4] : memref<7xi8>
    memref.store %7, %arg8[%c5] : memref<7xi8>
    memref.store %17#0, %arg8[%c6] : memref<7xi8>
    memref.store %arg1, %arg9[%c0_1] : memref<8xindex>
    memref.store %arg2, %arg9[%c1_3] : memref<8xindex>
    memref.store %c-3, %arg9[%c2] : memref<8xindex>
    memref.store %c1, %arg9[%c3] : memref<8xindex>
    memref.store %c1_0, %arg9[%c4] : memref<8xindex>
    memref.store %14, %arg9[%c5] : memref<8xindex>
    memref.store %c3, %arg9[%c6] : memref<8xindex>
    memref.store %16, %arg9[%c7] : memref<8xindex>
    return
  }
}
