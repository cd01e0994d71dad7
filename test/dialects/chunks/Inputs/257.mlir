// {"kind": "narrow", "entry": "chunk257", "traits": [], "arguments": [["a0", ["memref", [2, 2], "i1"], [0, 0], false], ["a1", ["memref", [4, 4, 4], "i8"], [0, 0], false], ["a2", "i32", [0, 0], false], ["a3", ["memref", [4, 3], "i8"], [0, 0], false], ["a4", "i1", [0, 0], false], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [4], "i4"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [9], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i4", ["memref", [4], "i4"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [9], "index"], [0, 0], true]]}
module {
  func.func @chunk257(%arg0: memref<2x2xi1>, %arg1: memref<4x4x4xi8>, %arg2: i32, %arg3: memref<4x3xi8>, %arg4: i1, %arg5: memref<6xi1> {tilewright.output}, %arg6: memref<6xi32> {tilewright.output}, %arg7: memref<4xi4> {tilewright.output}, %arg8: memref<7xi8> {tilewright.output}, %arg9: memref<9xindex> {tilewright.output}) {
    %0 = arith.trunci %arg2 : i32 to i8
    %true = arith.constant true
    %1 = arith.cmpi ugt, %arg4, %true : i1
    %c0_i8 = arith.constant 0 : i8
    %c2_i8 = arith.constant 2 : i8
    %c2_i8_0 = arith.constant 2 : i8
    %c2_i8_1 = arith.constant 2 : i8
    %c6_i4 = arith.constant 6 : i4
    %2 = scf.for %arg10 = %c0_i8 to %c2_i8 step %c2_i8_0 iter_args(%arg11 = %c6_i4) -> (i4)  : i8 {
      %c8_11 = arith.constant 8 : index
      %c6_12 = arith.constant 6 : index
      %16 = arith.subi %c8_11, %c6_12 : index
      %17 = arith.subi %c8_11, %c6_12 : index
      %18 = arith.extui %0 : i8 to i32
      %c-8_i4 = arith.constant -8 : i4
      scf.yield %c-8_i4 : i4
    }
    %true_2 = arith.constant true
    %3 = arith.addi %true, %true_2 : i1
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %4 = arith.minsi %c2, %c6 : index
    %5 = arith.minui %3, %3 : i1
    %6 = arith.cmpi ult, %c2_i8, %c2_i8 : i8
    %c-4 = arith.constant -4 : index
    %c4 = arith.constant 4 : index
    %7 = arith.minsi %c-4, %c4 : index
    %8 = arith.minsi %c-4, %c4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %9 = arith.cmpi uge, %c7, %c5 : index
    %c0_i32 = arith.constant 0 : i32
    %10 = arith.select %3, %c0_i32, %arg2 : i32
    %11 = arith.muli %c0_i32, %arg2 : i32
    %c7_i8 = arith.constant 7 : i8
    %12 = arith.andi %c0_i8, %c7_i8 : i8
    %13 = arith.index_castui %12 : i8 to index
    %c2_3 = arith.constant 2 : index
    %c2_4 = arith.constant 2 : index
    %c7_i4 = arith.constant 7 : i4
    %14 = scf.for %arg10 = %c2_3 to %13 step %c2_4 iter_args(%arg11 = %c7_i4) -> (i4) {
      %16 = arith.subi %arg10, %arg10 : index
      %17 = arith.cmpi ne, %11, %c0_i32 : i32
      %true_11 = arith.constant true
      %18 = arith.cmpi sge, %true_11, %true_11 : i1
      %19 = arith.maxsi %18, %18 : i1
      scf.yield %arg11 : i4
    }
    %c1323935070_i32 = arith.constant 1323935070 : i32
    %15 = arith.minui %c1323935070_i32, %c1323935070_i32 : i32
    %sum, %overflow = arith.addui_extended %0, %c2_i8_0 : i8, i1
    %c0 = arith.constant 0 : index
    memref.store %true_2, %arg5[%c0] : memref<6xi1>
    %c1 = arith.constant 1 : index
    memref.store %3, %arg5[%c1] : memref<6xi1>
    %c2_5 = arith.constant 2 : index
    memref.store %5, %arg5[%c2_5] : memref<6xi1>
    %c3 = arith.constant 3 : index
    memref.store %6, %arg5[%c3] : memref<6xi1>
    %c4_6 = arith.constant 4 : index
    memref.store %9, %arg5[%c4_6] : memref<6xi1>
    memref.store %overflow, %arg5[%c5] : memref<6xi1>
    %c0_7 = arith.constant 0 : index
    memref.store %arg2, %arg6[%c0_7] : memref<6xi32>
    %c1_8 = arith.constant 1 : index
    memref.store %c0_i32, %arg6[%c1_8] : memref<6xi32>
    memref.store %10, %arg6[%c2_4] : memref<6xi32>
    memref.store %11, %arg6[%c3] : memref<6xi32>
    %c4_9 = arith.constant 4 : index
    memref.store %c1323935070_i32, %arg6[%c4_9] : memref<6xi32>
    memref.store %15, %arg6[%c5] : memref<6xi32>
    memref.store %c6_i4, %arg7[%c0_7] : memref<4xi4>
    memref.store %2, %arg7[%c1] : memref<4xi4>
    memref.store %c7_i4, %arg7[%c2_3] : memref<4xi4>
    memref.store %14, %arg7[%c3] : memref<4xi4>
    memref.store %0, %arg8[%c0_7] : memref<7xi8>
    memref.store %c0_i8, %arg8[%c1_8] : memref<7xi8>
    memref.store %c2_i8, %arg8[%c2_5] : memref<7xi8>
    memref.store %c2_i8_0, %arg8[%c3] : memref<7xi8>
    %c4_10 = arith.constant 4 : index
    memref.store %c7_i8, %arg8[%c4_10] : memref<7xi8>
    memref.store %12, %arg8[%c5] : memref<7xi8>
    memref.store %sum, %arg8[%c6] : memref<7xi8>
    memref.store %7, %arg9[%c0] : memref<9xindex>
    memref.store %c7, %arg9[%c1] : memref<9xindex>
    memref.store %c5, %arg9[%c2_4] : memref<9xindex>
    memref.store %13, %arg9[%c3] : memref<9xindex>
    memref.store %c2_3, %arg9[%c4_10] : memref<9xindex>
    memref.store %c2_4, %arg9[%c5] : memref<9xindex>
    memref.store %4, %arg9[%c6] : memref<9xindex>
    memref.store %c-4, %arg9[%c7] : memref<9xindex>
    %c8 = arith.constant 8 : index
    memref.store %c4, %arg9[%c8] : memref<9xindex>
    return
  }
}
