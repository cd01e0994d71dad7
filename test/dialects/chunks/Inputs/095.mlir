// {"kind": "carried", "entry": "chunk95", "traits": [], "arguments": [["a0", ["memref", [1], "f32"], [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [2], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [2], "index"], [0, 0], true]]}
module {
  func.func @chunk95(%arg0: memref<1xf32>, %arg1: memref<2xf32> {tilewright.output}, %arg2: memref<4xi1> {tilewright.output}, %arg3: memref<4xi32> {tilewright.output}, %arg4: memref<3xi64> {tilewright.output}, %arg5: memref<2xindex> {tilewright.output}) {
    %false = arith.constant false
    %cst = arith.constant -124.272591 : f32
    %0 = scf.if %false -> (f32) {
      %c-2_i64 = arith.constant -2 : i64
      %c1_7 = arith.constant 1 : index
      %c0_8 = arith.constant 0 : index
      %4:3 = scf.while (%arg6 = %c0_8, %arg7 = %false, %arg8 = %c-2_i64) : (index, i1, i64) -> (index, i1, i64) {
        %5 = arith.cmpi slt, %arg6, %c1_7 : index
        %c4 = arith.constant 4 : index
        %c0_9 = arith.constant 0 : index
        %6:3 = scf.while (%arg9 = %c0_9, %arg10 = %c-2_i64, %arg11 = %arg8) : (index, i64, i64) -> (index, i64, i64) {
          %9 = arith.cmpi slt, %arg9, %c4 : index
          %c32767_i32 = arith.constant 32767 : i32
          %10 = math.absi %c32767_i32 : i32
          %11 = arith.andi %9, %arg7 : i1
          scf.condition(%11) %arg9, %arg10, %arg11 : index, i64, i64
        } do {
        ^bb0(%arg9: index, %arg10: i64, %arg11: i64):
          %9 = arith.addi %arg9, %c1_7 : index
          scf.yield %9, %arg10, %arg11 : index, i64, i64
        }
        %7:2 = scf.while (%arg9 = %c0_8, %arg10 = %c-2_i64) : (index, i64) -> (index, i64) {
          %9 = arith.cmpi slt, %arg9, %c4 : index
          %c1_i64 = arith.constant 1 : i64
          %10 = arith.andi %arg10, %c1_i64 : i64
          %11 = arith.index_castui %10 : i64 to index
          %c-1240815450_i32 = arith.constant -1240815450 : i32
          %c63_i32 = arith.constant 63 : i32
          %c-1681354767_i32 = arith.constant -1681354767 : i32
          %12 = arith.andi %c-1681354767_i32, %c63_i32 : i32
          %c1_i32 = arith.constant 1 : i32
          %c1_i32_11 = arith.constant 1 : i32
          %13 = arith.ori %12, %c1_i32 : i32
          %14 = arith.divui %c-1240815450_i32, %13 : i32
          %false_12 = arith.constant false
          %15 = arith.andi %9, %false_12 : i1
          scf.condition(%15) %arg9, %arg10 : index, i64
        } do {
        ^bb0(%arg9: index, %arg10: i64):
          %9 = arith.addi %arg9, %c1_7 : index
          scf.yield %9, %c-2_i64 : index, i64
        }
        %false_10 = arith.constant false
        %8 = arith.andi %5, %false_10 : i1
        scf.condition(%8) %arg6, %arg7, %arg8 : index, i1, i64
      } do {
      ^bb0(%arg6: index, %arg7: i1, %arg8: i64):
        %c3_9 = arith.constant 3 : index
        %c-523822555_i32 = arith.constant -523822555 : i32
        %5:4 = scf.for %arg9 = %c0_8 to %c3_9 step %c1_7 iter_args(%arg10 = %c-523822555_i32, %arg11 = %arg8, %arg12 = %c-523822555_i32, %arg13 = %cst) -> (i32, i64, i32, f32) {
          %c129_i32 = arith.constant 129 : i32
          scf.yield %c-523822555_i32, %arg8, %c129_i32, %arg13 : i32, i64, i32, f32
        }
        %6 = arith.addi %arg6, %c1_7 : index
        scf.yield %6, %arg7, %arg8 : index, i1, i64
      }
      scf.yield %cst : f32
    } else {
      %c-1_i32 = arith.constant -1 : i32
      %4:2 = scf.if %false -> (i32, i32) {
        %c0_9 = arith.constant 0 : index
        %c1_10 = arith.constant 1 : index
        %c2_11 = arith.constant 2 : index
        scf.for %arg6 = %c0_9 to %c2_11 step %c1_10 {
          %c-2_i64 = arith.constant -2 : i64
          %6 = math.absi %c-2_i64 : i64
          %c63_i64 = arith.constant 63 : i64
          %7 = arith.shrsi %c-2_i64, %c63_i64 : i64
          %c6_i64 = arith.constant 6 : i64
          %8 = arith.subi %c6_i64, %c63_i64 : i64
          %9 = arith.subi %arg6, %arg6 : index
        }
        scf.yield %c-1_i32, %c-1_i32 : i32, i32
      } else {
        %c1620891040_i32 = arith.constant 1620891040 : i32
        scf.yield %c-1_i32, %c1620891040_i32 : i32, i32
      }
      %c1_7 = arith.constant 1 : index
      %c1_8 = arith.constant 1 : index
      %c0_i64 = arith.constant 0 : i64
      %5:3 = scf.for %arg6 = %c1_7 to %c1_8 step %c1_7 iter_args(%arg7 = %c0_i64, %arg8 = %4#1, %arg9 = %false) -> (i64, i32, i1) {
        %c2_9 = arith.constant 2 : index
        %c7 = arith.constant 7 : index
        %c2147483647_i32 = arith.constant 2147483647 : i32
        %6:3 = scf.for %arg10 = %c2_9 to %c7 step %arg6 iter_args(%arg11 = %c2147483647_i32, %arg12 = %cst, %arg13 = %c2147483647_i32) -> (i32, f32, i32) {
          %low, %high = arith.mulsi_extended %arg7, %c0_i64 : i64
          %8 = arith.extsi %arg8 : i32 to i64
          %9 = arith.ceildivui %arg10, %c1_7 : index
          %10 = arith.andi %false, %false : i1
          %true_11 = arith.constant true
          %11 = arith.minsi %10, %true_11 : i1
          scf.yield %arg13, %arg12, %arg11 : i32, f32, i32
        }
        %false_10 = arith.constant false
        %7:3 = scf.if %false_10 -> (i64, f32, i32) {
          scf.yield %c0_i64, %6#1, %c-1_i32 : i64, f32, i32
        } else {
          %c-4 = arith.constant -4 : index
          %8 = arith.remsi %c-4, %c2_9 : index
          %9 = arith.cmpi sle, %4#1, %arg8 : i32
          scf.yield %arg7, %6#1, %arg8 : i64, f32, i32
        }
        scf.yield %7#0, %arg8, %false_10 : i64, i32, i1
      }
      scf.yield %cst : f32
    }
    %false_0 = arith.constant false
    %c-4_i32 = arith.constant -4 : i32
    %1 = scf.if %false_0 -> (i32) {
      %c-1_i32 = arith.constant -1 : i32
      %c-1_i32_7 = arith.constant -1 : i32
      %c7_i32 = arith.constant 7 : i32
      %c2_i32 = arith.constant 2 : i32
      %c-2147483647_i64 = arith.constant -2147483647 : i64
      %4:2 = scf.for %arg6 = %c-1_i32 to %c7_i32 step %c2_i32 iter_args(%arg7 = %false_0, %arg8 = %c-2147483647_i64) -> (i1, i64)  : i32 {
        %true_8 = arith.constant true
        %c0_9 = arith.constant 0 : index
        %c1_10 = arith.constant 1 : index
        %5:5 = scf.while (%arg9 = %c0_9, %arg10 = %c7_i32, %arg11 = %true_8, %arg12 = %c7_i32, %arg13 = %arg6) : (index, i32, i1, i32, i32) -> (index, i32, i1, i32, i32) {
          %8 = arith.cmpi slt, %arg9, %c0_9 : index
          scf.condition(%8) %arg9, %arg10, %arg11, %arg12, %arg13 : index, i32, i1, i32, i32
        } do {
        ^bb0(%arg9: index, %arg10: i32, %arg11: i1, %arg12: i32, %arg13: i32):
          %c-1_i32_14 = arith.constant -1 : i32
          %c876266513_i32 = arith.constant 876266513 : i32
          %8 = arith.andi %c-1_i32_14, %c876266513_i32 : i32
          %c63_i64 = arith.constant 63 : i64
          %9 = arith.andi %arg8, %c63_i64 : i64
          %c6_i64 = arith.constant 6 : i64
          %10 = arith.shli %c6_i64, %9 : i64
          %11 = arith.addi %arg9, %c1_10 : index
          scf.yield %11, %8, %true_8, %8, %8 : index, i32, i1, i32, i32
        }
        %c3_11 = arith.constant 3 : index
        %cst_12 = arith.constant 0.758600115 : f32
        %6:2 = scf.for %arg9 = %c0_9 to %5#0 step %c3_11 iter_args(%arg10 = %cst_12, %arg11 = %c-2147483647_i64) -> (f32, i64) {
          %c5 = arith.constant 5 : index
          %8 = arith.ceildivsi %arg9, %c5 : index
          %low, %high = arith.mulsi_extended %c2_i32, %c-4_i32 : i32
          %9 = arith.maxsi %c1_10, %5#0 : index
          scf.yield %0, %arg11 : f32, i64
        }
        %c0_13 = arith.constant 0 : index
        %7 = scf.while (%arg9 = %c0_13) : (index) -> index {
          %8 = arith.cmpi slt, %arg9, %c0_9 : index
          scf.condition(%8) %arg9 : index
        } do {
        ^bb0(%arg9: index):
          %c7_i64 = arith.constant 7 : i64
          %8 = arith.andi %arg8, %c7_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %9 = arith.ori %8, %c1_i64 : i64
          %10 = arith.ceildivsi %c-2147483647_i64, %9 : i64
          %c6 = arith.constant 6 : index
          %11 = arith.muli %c6, %arg9 : index
          %12 = arith.addi %arg9, %c1_10 : index
          scf.yield %12 : index
        }
        scf.yield %true_8, %arg8 : i1, i64
      }
      scf.yield %c7_i32 : i32
    } else {
      %c1_7 = arith.constant 1 : index
      %c0_8 = arith.constant 0 : index
      %4 = scf.while (%arg6 = %c0_8) : (index) -> index {
        %6 = arith.cmpi slt, %arg6, %c1_7 : index
        scf.condition(%6) %arg6 : index
      } do {
      ^bb0(%arg6: index):
        %c3_9 = arith.constant 3 : index
        %c-2 = arith.constant -2 : index
        %6 = arith.maxsi %c3_9, %c-2 : index
        %7:5 = scf.while (%arg7 = %c0_8, %arg8 = %cst, %arg9 = %false, %arg10 = %false, %arg11 = %c-4_i32) : (index, f32, i1, i1, i32) -> (index, f32, i1, i1, i32) {
          %12 = arith.cmpi slt, %arg7, %c0_8 : index
          %13 = arith.andi %12, %12 : i1
          scf.condition(%13) %arg7, %arg8, %arg9, %arg10, %arg11 : index, f32, i1, i1, i32
        } do {
        ^bb0(%arg7: index, %arg8: f32, %arg9: i1, %arg10: i1, %arg11: i32):
          %12 = arith.addi %arg7, %c1_7 : index
          scf.yield %12, %0, %false_0, %arg10, %arg11 : index, f32, i1, i1, i32
        }
        %c257_i64 = arith.constant 257 : i64
        %c3_i64 = arith.constant 3 : i64
        %8 = arith.andi %c3_i64, %c3_i64 : i64
        %c1_i64 = arith.constant 1 : i64
        %9 = arith.ori %8, %c1_i64 : i64
        %10 = arith.ceildivsi %c257_i64, %9 : i64
        %11 = arith.addi %arg6, %c1_7 : index
        scf.yield %11 : index
      }
      %c5 = arith.constant 5 : index
      %5 = arith.divui %4, %c5 : index
      scf.yield %c-4_i32 : i32
    }
    %true = arith.constant true
    %2 = arith.andi %false_0, %true : i1
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c-257_i64 = arith.constant -257 : i64
    %3:4 = scf.for %arg6 = %c0 to %c0 step %c2 iter_args(%arg7 = %1, %arg8 = %1, %arg9 = %c-257_i64, %arg10 = %c-257_i64) -> (i32, i32, i64, i64) {
      %c-3 = arith.constant -3 : index
      %4 = scf.for %arg11 = %c-3 to %c-3 step %c2 iter_args(%arg12 = %c-257_i64) -> (i64) {
        scf.yield %arg10 : i64
      }
      %true_7 = arith.constant true
      %true_8 = arith.constant true
      %c6_i64 = arith.constant 6 : i64
      %5:2 = scf.if %true_7 -> (i64, f32) {
        scf.yield %4, %0 : i64, f32
      } else {
        %c1_10 = arith.constant 1 : index
        %c1_11 = arith.constant 1 : index
        %8:3 = scf.while (%arg11 = %arg6, %arg12 = %c-4_i32, %arg13 = %false) : (index, i32, i1) -> (index, i32, i1) {
          %10 = arith.cmpi slt, %arg11, %c1_10 : index
          scf.condition(%10) %arg11, %arg12, %arg13 : index, i32, i1
        } do {
        ^bb0(%arg11: index, %arg12: i32, %arg13: i1):
          %10 = arith.cmpi ult, %arg10, %4 : i64
          %c1_i32 = arith.constant 1 : i32
          %11 = arith.cmpi uge, %c1_i32, %c1_i32 : i32
          %true_12 = arith.constant true
          %12 = arith.select %true_12, %arg12, %1 : i32
          %13 = arith.select %true_12, %arg12, %1 : i32
          %14 = arith.addi %arg11, %c1_11 : index
          %c9_i32 = arith.constant 9 : i32
          scf.yield %14, %c9_i32, %true_7 : index, i32, i1
        }
        %9:2 = scf.if %false -> (i1, i64) {
          scf.yield %true, %4 : i1, i64
        } else {
          %10 = arith.select %8#2, %4, %c-257_i64 : i64
          %11 = arith.extui %false : i1 to i32
          %c63_i32 = arith.constant 63 : i32
          %12 = arith.andi %8#1, %c63_i32 : i32
          %13 = arith.index_cast %12 : i32 to index
          %14 = arith.index_cast %12 : i32 to index
          %true_12 = arith.constant true
          scf.yield %true_12, %10 : i1, i64
        }
        scf.yield %9#1, %0 : i64, f32
      }
      %c4 = arith.constant 4 : index
      %c1_9 = arith.constant 1 : index
      %6 = scf.while (%arg11 = %c0) : (index) -> index {
        %8 = arith.cmpi slt, %arg11, %c4 : index
        scf.condition(%8) %arg11 : index
      } do {
      ^bb0(%arg11: index):
        %8 = scf.if %true -> (i32) {
          %11 = arith.cmpi ugt, %1, %c-4_i32 : i32
          %12 = arith.addi %arg11, %arg11 : index
          scf.yield %arg7 : i32
        } else {
          scf.yield %1 : i32
        }
        %c-2_i32 = arith.constant -2 : i32
        %c4_i32 = arith.constant 4 : i32
        %c2_i32 = arith.constant 2 : i32
        %9 = scf.for %arg12 = %c-2_i32 to %c4_i32 step %c2_i32 iter_args(%arg13 = %0) -> (f32)  : i32 {
          %11 = arith.muli %c1_9, %arg11 : index
          %c0_10 = arith.constant 0 : index
          %12 = arith.cmpi ne, %c0_10, %11 : index
          %c7_i64 = arith.constant 7 : i64
          %13 = arith.andi %arg10, %c7_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %14 = arith.ori %13, %c1_i64 : i64
          %15 = arith.ceildivsi %arg10, %14 : i64
          scf.yield %arg13 : f32
        }
        %10 = arith.addi %arg11, %c1_9 : index
        scf.yield %10 : index
      }
      %7 = arith.select %2, %arg10, %c-257_i64 : i64
      scf.yield %1, %arg7, %4, %7 : i32, i32, i64, i64
    }
    memref.store %cst, %arg1[%c0] : memref<2xf32>
    %c1 = arith.constant 1 : index
    memref.store %0, %arg1[%c1] : memref<2xf32>
    %c0_1 = arith.constant 0 : index
    memref.store %false, %arg2[%c0_1] : memref<4xi1>
    %c1_2 = arith.constant 1 : index
    memref.store %false_0, %arg2[%c1_2] : memref<4xi1>
    %c2_3 = arith.constant 2 : index
    memref.store %true, %arg2[%c2_3] : memref<4xi1>
    %c3 = arith.constant 3 : index
    memref.store %2, %arg2[%c3] : memref<4xi1>
    memref.store %c-4_i32, %arg3[%c0_1] : memref<4xi32>
    %c1_4 = arith.constant 1 : index
    memref.store %1, %arg3[%c1_4] : memref<4xi32>
    memref.store %3#0, %arg3[%c2] : memref<4xi32>
    memref.store %3#1, %arg3[%c3] : memref<4xi32>
    %c0_5 = arith.constant 0 : index
    memref.store %c-257_i64, %arg4[%c0_5] : memref<3xi64>
    memref.store %3#2, %arg4[%c1_2] : memref<3xi64>
    memref.store %3#3, %arg4[%c2] : memref<3xi64>
    %c0_6 = arith.constant 0 : index
    memref.store %c0, %arg5[%c0_6] : memref<2xindex>
    memref.store %c2, %arg5[%c1_2] : memref<2xindex>
    return
  }
}
