// {"kind": "narrow", "entry": "chunk215", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "i4", [0, 0], false], ["a2", ["memref", [4, 4, 1], "i4"], [0, 0], false], ["a3", ["memref", [2], "i1"], [0, 0], false], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [2], "i4"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [2], "i4"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk215(%arg0: index, %arg1: i4, %arg2: memref<4x4x1xi4>, %arg3: memref<2xi1>, %arg4: memref<8xi1> {tilewright.output}, %arg5: memref<6xi32> {tilewright.output}, %arg6: memref<2xi4> {tilewright.output}, %arg7: memref<3xi8> {tilewright.output}, %arg8: memref<6xindex> {tilewright.output}) {
    %0 = arith.muli %arg0, %arg0 : index
    %c4 = arith.constant 4 : index
    %1 = arith.index_castui %c4 : index to i32
    %c-4 = arith.constant -4 : index
    %2 = arith.addi %arg0, %c-4 : index
    %c7_i8 = arith.constant 7 : i8
    %3 = arith.shrsi %c7_i8, %c7_i8 : i8
    %true = arith.constant true
    %4 = arith.extui %true : i1 to i4
    %5 = arith.subi %3, %3 : i8
    %6:2 = scf.if %true -> (i1, i32) {
      scf.yield %true, %1 : i1, i32
    } else {
      %16 = arith.cmpi eq, %arg1, %arg1 : i4
      %c-2_i8 = arith.constant -2 : i8
      %17 = arith.remsi %3, %c-2_i8 : i8
      %c0_4 = arith.constant 0 : index
      %c0_5 = arith.constant 0 : index
      %c2_6 = arith.constant 2 : index
      %18:4 = scf.for %arg9 = %c0_4 to %c4 step %c2_6 iter_args(%arg10 = %3, %arg11 = %c-2_i8, %arg12 = %c-2_i8, %arg13 = %1) -> (i8, i8, i8, i32) {
        %19 = arith.subi %1, %1 : i32
        %false_7 = arith.constant false
        %20 = arith.select %false_7, %arg1, %4 : i4
        %c127_i8 = arith.constant 127 : i8
        %c127_i8_8 = arith.constant 127 : i8
        scf.yield %5, %c127_i8, %arg10, %arg13 : i8, i8, i8, i32
      }
      scf.yield %16, %18#3 : i1, i32
    }
    %7 = arith.andi %true, %true : i1
    %8 = arith.trunci %6#1 : i32 to i1
    scf.if %7 {
      %c7_i8_4 = arith.constant 7 : i8
      %16 = arith.andi %3, %c7_i8_4 : i8
      %c1_i8 = arith.constant 1 : i8
      %17 = arith.shrui %c1_i8, %16 : i8
    } else {
    }
    %9 = arith.subi %arg0, %0 : index
    %10 = arith.subi %arg0, %0 : index
    %11 = arith.cmpi sgt, %arg1, %4 : i4
    %12 = arith.extsi %c7_i8 : i8 to i32
    %13 = arith.extsi %5 : i8 to i32
    %14 = arith.addi %12, %13 overflow<nsw> : i32
    %false = arith.constant false
    %15:3 = scf.if %true -> (i1, i32, i1) {
      %c-3 = arith.constant -3 : index
      %c3_4 = arith.constant 3 : index
      %c1_5 = arith.constant 1 : index
      %16:2 = scf.for %arg9 = %c-3 to %c1_5 step %c3_4 iter_args(%arg10 = %arg1, %arg11 = %5) -> (i4, i8) {
        scf.yield %arg10, %arg11 : i4, i8
      }
      %17 = arith.subi %0, %9 : index
      %18 = arith.cmpi eq, %17, %arg0 : index
      scf.yield %18, %6#1, %18 : i1, i32, i1
    } else {
      %c-2147483648_i32 = arith.constant -2147483648 : i32
      %16:4 = scf.if %11 -> (i32, i8, i8, i8) {
        %c0_6 = arith.constant 0 : index
        %c1_7 = arith.constant 1 : index
        %18:3 = scf.for %arg9 = %c0_6 to %2 step %c1_7 iter_args(%arg10 = %12, %arg11 = %4, %arg12 = %3) -> (i32, i4, i8) {
          %19 = arith.cmpi sgt, %6#1, %12 : i32
          %20 = arith.minsi %11, %11 : i1
          %21 = arith.trunci %3 : i8 to i4
          %22 = arith.select %false, %13, %1 : i32
          scf.yield %14, %21, %3 : i32, i4, i8
        }
        scf.yield %18#0, %18#2, %18#2, %18#2 : i32, i8, i8, i8
      } else {
        %18 = arith.subi %2, %2 : index
        %c5_i8 = arith.constant 5 : i8
        scf.yield %13, %c7_i8, %5, %c5_i8 : i32, i8, i8, i8
      }
      %c1_4 = arith.constant 1 : index
      %c2_5 = arith.constant 2 : index
      %17 = arith.andi %c1_4, %c2_5 : index
      scf.yield %8, %c-2147483648_i32, %6#0 : i1, i32, i1
    }
    %c0 = arith.constant 0 : index
    memref.store %true, %arg4[%c0] : memref<8xi1>
    %c1 = arith.constant 1 : index
    memref.store %6#0, %arg4[%c1] : memref<8xi1>
    %c2 = arith.constant 2 : index
    memref.store %7, %arg4[%c2] : memref<8xi1>
    %c3 = arith.constant 3 : index
    memref.store %8, %arg4[%c3] : memref<8xi1>
    memref.store %11, %arg4[%c4] : memref<8xi1>
    %c5 = arith.constant 5 : index
    memref.store %false, %arg4[%c5] : memref<8xi1>
    %c6 = arith.constant 6 : index
    memref.store %15#0, %arg4[%c6] : memref<8xi1>
    %c7 = arith.constant 7 : index
    memref.store %15#2, %arg4[%c7] : memref<8xi1>
    memref.store %1, %arg5[%c0] : memref<6xi32>
    memref.store %6#1, %arg5[%c1] : memref<6xi32>
    memref.store %12, %arg5[%c2] : memref<6xi32>
    memref.store %13, %arg5[%c3] : memref<6xi32>
    memref.store %14, %arg5[%c4] : memref<6xi32>
    %c5_0 = arith.constant 5 : index
    memref.store %15#1, %arg5[%c5_0] : memref<6xi32>
    %c0_1 = arith.constant 0 : index
    memref.store %arg1, %arg6[%c0_1] : memref<2xi4>
    memref.store %4, %arg6[%c1] : memref<2xi4>
    memref.store %c7_i8, %arg7[%c0_1] : memref<3xi8>
    memref.store %3, %arg7[%c1] : memref<3xi8>
    memref.store %5, %arg7[%c2] : memref<3xi8>
    memref.store %arg0, %arg8[%c0_1] : memref<6xindex>
    memref.store %0, %arg8[%c1] : memref<6xindex>
    %c2_2 = arith.constant 2 : index
    memref.store %c4, %arg8[%c2_2] : memref<6xindex>
    %c3_3 = arith.constant 3 : index
    memref.store %c-4, %arg8[%c3_3] : memref<6xindex>
    memref.store %2, %arg8[%c4] : memref<6xindex>
    memref.store %9, %arg8[%c5_0] : memref<6xindex>
    return
  }
}
