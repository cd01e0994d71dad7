// {"kind": "narrow", "entry": "chunk47", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", ["memref", [3, 1, 4], "i8"], [0, 0], false], ["a2", "index", [0, 7], false], ["a3", "i32", [0, 0], false], ["a4", "i32", [0, 0], false], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i4", ["memref", [7], "i4"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i4", ["memref", [7], "i4"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk47(%arg0: index, %arg1: memref<3x1x4xi8>, %arg2: index, %arg3: i32, %arg4: i32, %arg5: memref<6xi1> {tilewright.output}, %arg6: memref<7xi32> {tilewright.output}, %arg7: memref<7xi4> {tilewright.output}, %arg8: memref<3xi8> {tilewright.output}, %arg9: memref<7xindex> {tilewright.output}) {
    %0 = arith.maxsi %arg3, %arg3 : i32
    %c0_i4 = arith.constant 0 : i4
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1:3 = scf.while (%arg10 = %c0, %arg11 = %arg3, %arg12 = %c0_i4) : (index, i32, i4) -> (index, i32, i4) {
      %17 = arith.cmpi slt, %arg10, %c2 : index
      scf.condition(%17) %arg10, %arg11, %arg12 : index, i32, i4
    } do {
    ^bb0(%arg10: index, %arg11: i32, %arg12: i4):
      %17 = arith.cmpi uge, %arg4, %0 : i32
      %c-127_i8 = arith.constant -127 : i8
      %18 = scf.for %arg13 = %c2 to %arg2 step %c1 iter_args(%arg14 = %c-127_i8) -> (i8) {
        %c7_5 = arith.constant 7 : index
        %20 = arith.remui %c7_5, %c1 : index
        %c-1_i4 = arith.constant -1 : i4
        %c7_i4 = arith.constant 7 : i4
        %21 = arith.andi %arg12, %c7_i4 : i4
        %c1_i4 = arith.constant 1 : i4
        %22 = arith.ori %21, %c1_i4 : i4
        %23 = arith.remsi %c-1_i4, %22 : i4
        %c2_i8 = arith.constant 2 : i8
        %c6_i8 = arith.constant 6 : i8
        %c2_i8_6 = arith.constant 2 : i8
        %24:4 = scf.for %arg15 = %c2_i8 to %c6_i8 step %c2_i8_6 iter_args(%arg16 = %c1_i4, %arg17 = %arg14, %arg18 = %17, %arg19 = %c-1_i4) -> (i4, i8, i1, i4)  : i8 {
          %sum, %overflow = arith.addui_extended %arg17, %arg17 : i8, i1
          %30 = arith.extsi %21 : i4 to i32
          scf.yield %c1_i4, %arg17, %overflow, %arg19 : i4, i8, i1, i4
        }
        %25 = arith.maxui %17, %17 : i1
        %26 = arith.extsi %c6_i8 : i8 to i32
        %27 = arith.extsi %c6_i8 : i8 to i32
        %c0_i8_7 = arith.constant 0 : i8
        %28 = arith.extsi %c0_i8_7 : i8 to i32
        %29 = arith.addi %26, %28 overflow<nsw> : i32
        scf.yield %c6_i8 : i8
      }
      %19 = arith.addi %arg10, %c1 : index
      scf.yield %19, %0, %arg12 : index, i32, i4
    }
    %false = arith.constant false
    %2 = arith.muli %false, %false : i1
    %3 = scf.if %2 -> (i4) {
      scf.yield %c0_i4 : i4
    } else {
      %17 = arith.trunci %c0_i4 : i4 to i1
      %18 = arith.trunci %c0_i4 : i4 to i1
      %c-256_i32 = arith.constant -256 : i32
      %19 = arith.cmpi uge, %c-256_i32, %arg3 : i32
      %20 = arith.cmpi uge, %c-256_i32, %arg3 : i32
      %c-7_i4 = arith.constant -7 : i4
      scf.yield %c-7_i4 : i4
    }
    %4 = arith.addi %1#0, %arg2 : index
    %c-4 = arith.constant -4 : index
    %5 = arith.cmpi slt, %c-4, %arg0 : index
    %6 = arith.cmpi ule, %c0_i4, %1#2 : i4
    %c5_i4 = arith.constant 5 : i4
    %7 = arith.divsi %1#2, %c5_i4 : i4
    %c4 = arith.constant 4 : index
    %c0_i8 = arith.constant 0 : i8
    %c0_i32 = arith.constant 0 : i32
    %8:3 = scf.for %arg10 = %c2 to %c4 step %c1 iter_args(%arg11 = %c0_i8, %arg12 = %c0_i8, %arg13 = %c0_i32) -> (i8, i8, i32) {
      %17 = math.absi %c0_i8 : i8
      scf.yield %arg11, %17, %arg4 : i8, i8, i32
    }
    %9 = arith.trunci %7 : i4 to i1
    %10:2 = scf.if %false -> (i32, i4) {
      %c7_i4 = arith.constant 7 : i4
      %17 = arith.andi %c5_i4, %c7_i4 : i4
      %c1_i4 = arith.constant 1 : i4
      %18 = arith.ori %17, %c1_i4 : i4
      %19 = arith.divsi %c5_i4, %18 : i4
      %c8 = arith.constant 8 : index
      %20 = arith.divsi %c1, %c8 : index
      %21 = scf.while (%arg10 = %c0) : (index) -> index {
        %22 = arith.cmpi slt, %arg10, %c1 : index
        %23 = arith.andi %22, %2 : i1
        scf.condition(%23) %arg10 : index
      } do {
      ^bb0(%arg10: index):
        %c-15_i8 = arith.constant -15 : i8
        %22 = arith.cmpi sle, %8#0, %c-15_i8 : i8
        %23 = arith.addi %arg10, %c1 : index
        scf.yield %23 : index
      }
      scf.yield %1#1, %c7_i4 : i32, i4
    } else {
      scf.yield %0, %1#2 : i32, i4
    }
    %11 = arith.trunci %0 : i32 to i4
    %c-3 = arith.constant -3 : index
    %12:2 = scf.for %arg10 = %c-3 to %c0 step %c1 iter_args(%arg11 = %10#0, %arg12 = %arg4) -> (i32, i32) {
      %17 = arith.trunci %0 : i32 to i1
      %18 = arith.extsi %9 : i1 to i8
      %c3_5 = arith.constant 3 : index
      %19:2 = scf.for %arg13 = %c0 to %c3_5 step %c1 iter_args(%arg14 = %6, %arg15 = %10#1) -> (i1, i4) {
        %20 = math.absi %3 : i4
        %21 = arith.select %17, %c0_i8, %8#1 : i8
        scf.yield %arg14, %20 : i1, i4
      }
      scf.yield %arg3, %arg11 : i32, i32
    }
    %c2_i32 = arith.constant 2 : i32
    %13 = arith.divsi %10#0, %c2_i32 : i32
    %c7 = arith.constant 7 : index
    %14 = arith.maxsi %4, %c7 : index
    %15 = arith.cmpi ule, %14, %4 : index
    %16 = arith.cmpi ule, %14, %4 : index
    memref.store %false, %arg5[%c0] : memref<6xi1>
    memref.store %2, %arg5[%c1] : memref<6xi1>
    memref.store %5, %arg5[%c2] : memref<6xi1>
    %c3 = arith.constant 3 : index
    memref.store %6, %arg5[%c3] : memref<6xi1>
    memref.store %9, %arg5[%c4] : memref<6xi1>
    %c5 = arith.constant 5 : index
    memref.store %15, %arg5[%c5] : memref<6xi1>
    memref.store %8#2, %arg6[%c0] : memref<7xi32>
    memref.store %10#0, %arg6[%c1] : memref<7xi32>
    memref.store %12#0, %arg6[%c2] : memref<7xi32>
    %c3_0 = arith.constant 3 : index
    memref.store %12#1, %arg6[%c3_0] : memref<7xi32>
    %c4_1 = arith.constant 4 : index
    memref.store %c2_i32, %arg6[%c4_1] : memref<7xi32>
    %c5_2 = arith.constant 5 : index
    memref.store %13, %arg6[%c5_2] : memref<7xi32>
    %c6 = arith.constant 6 : index
    memref.store %0, %arg6[%c6] : memref<7xi32>
    memref.store %c0_i4, %arg7[%c0] : memref<7xi4>
    memref.store %1#2, %arg7[%c1] : memref<7xi4>
    memref.store %3, %arg7[%c2] : memref<7xi4>
    memref.store %c5_i4, %arg7[%c3_0] : memref<7xi4>
    memref.store %7, %arg7[%c4] : memref<7xi4>
    memref.store %10#1, %arg7[%c5_2] : memref<7xi4>
    memref.store %11, %arg7[%c6] : memref<7xi4>
    memref.store %c0_i8, %arg8[%c0] : memref<3xi8>
    memref.store %8#0, %arg8[%c1] : memref<3xi8>
    memref.store %8#1, %arg8[%c2] : memref<3xi8>
    memref.store %4, %arg9[%c0] : memref<7xindex>
    %c1_3 = arith.constant 1 : index
    memref.store %c-4, %arg9[%c1_3] : memref<7xindex>
    memref.store %c4, %arg9[%c2] : memref<7xindex>
    memref.store %c-3, %arg9[%c3_0] : memref<7xindex>
    %c4_4 = arith.constant 4 : index
    memref.store %c7, %arg9[%c4_4] : memref<7xindex>
    memref.store %14, %arg9[%c5] : memref<7xindex>
    memref.store %1#0, %arg9[%c6] : memref<7xindex>
    return
  }
}
