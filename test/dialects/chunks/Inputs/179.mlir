// {"kind": "carried", "entry": "chunk179", "traits": [], "arguments": [["a0", "i1", [0, 0], false], ["a1", "i1", [0, 0], false], ["a2", "i32", [0, 0], false], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i32", ["memref", [9], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [9], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i32", ["memref", [9], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [9], "index"], [0, 0], true]]}
module {
  func.func @chunk179(%arg0: i1, %arg1: i1, %arg2: i32, %arg3: memref<7xi1> {tilewright.output}, %arg4: memref<9xi32> {tilewright.output}, %arg5: memref<2xi64> {tilewright.output}, %arg6: memref<9xindex> {tilewright.output}) {
    %c-1_i32 = arith.constant -1 : i32
    %c5_i32 = arith.constant 5 : i32
    %c2_i32 = arith.constant 2 : i32
    scf.for %arg7 = %c-1_i32 to %c5_i32 step %c2_i32  : i32 {
      %c4_8 = arith.constant 4 : index
      %c0_9 = arith.constant 0 : index
      %c1_10 = arith.constant 1 : index
      %5:2 = scf.while (%arg8 = %c0_9, %arg9 = %arg0) : (index, i1) -> (index, i1) {
        %6 = arith.cmpi slt, %arg8, %c4_8 : index
        %c-2_i64 = arith.constant -2 : i64
        %c-255_i64 = arith.constant -255 : i64
        %low, %high = arith.mului_extended %c-2_i64, %c-255_i64 : i64
        %7 = arith.andi %6, %arg0 : i1
        scf.condition(%7) %arg8, %arg9 : index, i1
      } do {
      ^bb0(%arg8: index, %arg9: i1):
        %true = arith.constant true
        %cst = arith.constant 0x7FC00000 : f32
        %c3_11 = arith.constant 3 : index
        %c0_12 = arith.constant 0 : index
        %6:5 = scf.while (%arg10 = %c0_12, %arg11 = %true, %arg12 = %c5_i32, %arg13 = %arg0, %arg14 = %cst) : (index, i1, i32, i1, f32) -> (index, i1, i32, i1, f32) {
          %10 = arith.cmpi slt, %arg10, %c3_11 : index
          scf.condition(%10) %arg10, %arg11, %arg12, %arg13, %arg14 : index, i1, i32, i1, f32
        } do {
        ^bb0(%arg10: index, %arg11: i1, %arg12: i32, %arg13: i1, %arg14: f32):
          %10 = arith.minui %arg12, %arg7 : i32
          %11 = arith.addi %arg10, %c1_10 : index
          scf.yield %11, %arg0, %arg12, %arg13, %arg14 : index, i1, i32, i1, f32
        }
        %c1_13 = arith.constant 1 : index
        %7:3 = scf.while (%arg10 = %c0_12, %arg11 = %6#1, %arg12 = %cst) : (index, i1, f32) -> (index, i1, f32) {
          %10 = arith.cmpi slt, %arg10, %c3_11 : index
          %c-2390391939234548798_i64 = arith.constant -2390391939234548798 : i64
          %11 = arith.muli %c-2390391939234548798_i64, %c-2390391939234548798_i64 : i64
          %12 = arith.andi %10, %arg0 : i1
          scf.condition(%12) %arg10, %arg11, %arg12 : index, i1, f32
        } do {
        ^bb0(%arg10: index, %arg11: i1, %arg12: f32):
          %10 = arith.addi %arg10, %c1_13 : index
          scf.yield %10, %arg9, %arg12 : index, i1, f32
        }
        %c32769_i64 = arith.constant 32769 : i64
        %8:2 = scf.if %7#1 -> (i64, i1) {
          %10 = arith.maxsi %c32769_i64, %c32769_i64 : i64
          %c127_i32 = arith.constant 127 : i32
          %11 = arith.select %arg9, %c127_i32, %arg7 : i32
          %false_14 = arith.constant false
          %12 = arith.extsi %false_14 : i1 to i32
          scf.yield %10, %false_14 : i64, i1
        } else {
          %10 = arith.muli %arg2, %c5_i32 : i32
          scf.yield %c32769_i64, %7#1 : i64, i1
        }
        %9 = arith.addi %arg8, %c1_10 : index
        scf.yield %9, %8#1 : index, i1
      }
    }
    %c0 = arith.constant 0 : index
    %c-4 = arith.constant -4 : index
    %0 = arith.muli %c0, %c-4 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c-771358859_i32 = arith.constant -771358859 : i32
    %false = arith.constant false
    %c7_i32 = arith.constant 7 : i32
    %1:3 = scf.for %arg7 = %0 to %c2 step %c1 iter_args(%arg8 = %c-771358859_i32, %arg9 = %false, %arg10 = %c7_i32) -> (i32, i1, i32) {
      %c6_i64 = arith.constant 6 : i64
      %5 = scf.if %arg1 -> (i64) {
        scf.yield %c6_i64 : i64
      } else {
        %6 = arith.addi %false, %false : i1
        %c-4035486776167971851_i64 = arith.constant -4035486776167971851 : i64
        scf.yield %c-4035486776167971851_i64 : i64
      }
      scf.yield %c7_i32, %arg0, %arg10 : i32, i1, i32
    }
    %c0_0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c12 = arith.constant 12 : index
    %2:2 = scf.for %arg7 = %c0_0 to %c12 step %c3 iter_args(%arg8 = %c5_i32, %arg9 = %1#1) -> (i32, i1) {
      %c-3 = arith.constant -3 : index
      %c-2 = arith.constant -2 : index
      %cst = arith.constant -0.96393913 : f32
      %cst_8 = arith.constant 1.000000e+01 : f32
      %5:2 = scf.for %arg10 = %c-3 to %c-2 step %c1 iter_args(%arg11 = %cst, %arg12 = %cst_8) -> (f32, f32) {
        %c6_12 = arith.constant 6 : index
        %9 = arith.muli %c6_12, %arg7 : index
        scf.yield %cst_8, %arg12 : f32, f32
      }
      %c-1_i64 = arith.constant -1 : i64
      %c0_i64 = arith.constant 0 : i64
      %c1_i64 = arith.constant 1 : i64
      scf.for %arg10 = %c-1_i64 to %c0_i64 step %c1_i64  : i64 {
        %c4_12 = arith.constant 4 : index
        %9:2 = scf.while (%arg11 = %0, %arg12 = %5#1) : (index, f32) -> (index, f32) {
          %11 = arith.cmpi slt, %arg11, %c4_12 : index
          scf.condition(%11) %arg11, %arg12 : index, f32
        } do {
        ^bb0(%arg11: index, %arg12: f32):
          %11 = arith.extsi %1#1 : i1 to i64
          %12 = arith.maxsi %arg11, %arg11 : index
          %13 = arith.addi %arg11, %c1 : index
          scf.yield %13, %arg12 : index, f32
        }
        %10:5 = scf.while (%arg11 = %0, %arg12 = %cst, %arg13 = %c7_i32, %arg14 = %arg0, %arg15 = %arg1) : (index, f32, i32, i1, i1) -> (index, f32, i32, i1, i1) {
          %11 = arith.cmpi slt, %arg11, %c0_0 : index
          scf.condition(%11) %arg11, %arg12, %arg13, %arg14, %arg15 : index, f32, i32, i1, i1
        } do {
        ^bb0(%arg11: index, %arg12: f32, %arg13: i32, %arg14: i1, %arg15: i1):
          %11 = arith.select %arg14, %c1_i64, %arg10 : i64
          %12 = arith.extsi %1#0 : i32 to i64
          %c256_i32 = arith.constant 256 : i32
          %13 = arith.extsi %c256_i32 : i32 to i64
          %14 = arith.subi %12, %13 overflow<nsw> : i64
          %c8_13 = arith.constant 8 : index
          %15 = arith.ceildivui %arg7, %c8_13 : index
          %16 = arith.addi %arg11, %c1 : index
          %17 = arith.addi %arg11, %c1 : index
          scf.yield %16, %cst, %c256_i32, %arg1, %arg0 : index, f32, i32, i1, i1
        }
      }
      %6 = arith.addi %1#1, %arg1 : i1
      %c1_i64_9 = arith.constant 1 : i64
      %c1_i64_10 = arith.constant 1 : i64
      %c1_i64_11 = arith.constant 1 : i64
      %7 = scf.for %arg10 = %c1_i64_9 to %c1_i64_10 step %c1_i64_11 iter_args(%arg11 = %arg9) -> (i1)  : i64 {
        %9:2 = scf.for %arg12 = %c0 to %c0_0 step %c1 iter_args(%arg13 = %arg8, %arg14 = %cst) -> (i32, f32) {
          scf.yield %arg13, %arg14 : i32, f32
        }
        scf.yield %arg11 : i1
      }
      %8 = scf.if %1#1 -> (i64) {
        %9:2 = scf.while (%arg10 = %0, %arg11 = %5#0) : (index, f32) -> (index, f32) {
          %11 = arith.cmpi slt, %arg10, %c0 : index
          %c6195333836753177791_i64 = arith.constant 6195333836753177791 : i64
          %12 = arith.trunci %c6195333836753177791_i64 : i64 to i1
          %c0_i64_12 = arith.constant 0 : i64
          %13 = arith.shli %c1_i64_9, %c0_i64_12 : i64
          %14 = arith.andi %11, %7 : i1
          scf.condition(%14) %arg10, %arg11 : index, f32
        } do {
        ^bb0(%arg10: index, %arg11: f32):
          %11 = arith.maxsi %c1, %arg7 : index
          %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
          %12 = arith.maxsi %c1_i64_10, %c9223372036854775807_i64 : i64
          %13 = arith.addi %arg10, %c1 : index
          scf.yield %13, %cst : index, f32
        }
        %10:2 = scf.if %false -> (f32, i32) {
          scf.yield %5#1, %c5_i32 : f32, i32
        } else {
          %11 = arith.cmpi ne, %arg7, %9#0 : index
          %12 = arith.cmpi ne, %arg7, %9#0 : index
          %true = arith.constant true
          %13 = arith.extui %true : i1 to i64
          scf.yield %5#1, %c-771358859_i32 : f32, i32
        }
        scf.yield %c-1_i64 : i64
      } else {
        scf.yield %c0_i64 : i64
      }
      scf.yield %c2_i32, %6 : i32, i1
    }
    scf.if %false {
      %c8_8 = arith.constant 8 : index
      %c8_9 = arith.constant 8 : index
      %c1_i64 = arith.constant 1 : i64
      %cst = arith.constant 2.500000e+00 : f32
      %5:4 = scf.for %arg7 = %c0 to %c8_8 step %c3 iter_args(%arg8 = %c1_i64, %arg9 = %cst, %arg10 = %arg1, %arg11 = %cst) -> (i64, f32, i1, f32) {
        %c2_12 = arith.constant 2 : index
        %true = arith.constant true
        %8:3 = scf.for %arg12 = %c2_12 to %c12 step %c2_12 iter_args(%arg13 = %arg0, %arg14 = %c7_i32, %arg15 = %true) -> (i1, i32, i1) {
          %c7_18 = arith.constant 7 : index
          %13 = arith.minsi %arg7, %c7_18 : index
          %false_19 = arith.constant false
          %14 = arith.extsi %false_19 : i1 to i32
          %15 = arith.addi %1#2, %2#0 : i32
          %c1_i32_20 = arith.constant 1 : i32
          %16 = arith.andi %14, %c1_i32_20 : i32
          %17 = arith.index_cast %16 : i32 to index
          scf.yield %false_19, %c1_i32_20, %false_19 : i1, i32, i1
        }
        %9:2 = scf.for %arg12 = %c0_0 to %c0 step %c1 iter_args(%arg13 = %8#0, %arg14 = %arg9) -> (i1, f32) {
          %13 = arith.maxui %c1_i64, %arg8 : i64
          %c-1_i64 = arith.constant -1 : i64
          %14 = arith.trunci %c-1_i64 : i64 to i32
          %c8_i32 = arith.constant 8 : i32
          %15 = arith.ori %14, %c8_i32 : i32
          scf.yield %8#2, %arg11 : i1, f32
        }
        %c1_i32 = arith.constant 1 : i32
        %10 = arith.andi %8#1, %c1_i32 : i32
        %11 = arith.index_castui %10 : i32 to index
        %true_13 = arith.constant true
        %c4_i64 = arith.constant 4 : i64
        %c-1_i32_14 = arith.constant -1 : i32
        %true_15 = arith.constant true
        %12:4 = scf.if %true_13 -> (i64, i64, i32, i1) {
          scf.yield %arg8, %c4_i64, %1#2, %8#2 : i64, i64, i32, i1
        } else {
          %false_18 = arith.constant false
          %cst_19 = arith.constant 1.000000e+00 : f32
          %13 = arith.select %false_18, %arg9, %cst_19 : f32
          %14 = math.absi %c-1_i32_14 : i32
          scf.yield %c4_i64, %arg8, %14, %false_18 : i64, i64, i32, i1
        }
        %c1_16 = arith.constant 1 : index
        %c5_17 = arith.constant 5 : index
        scf.for %arg12 = %c1 to %c5_17 step %c1_16 {
          %c63_i64 = arith.constant 63 : i64
          %13 = arith.andi %12#1, %c63_i64 : i64
          %c1_i64_18 = arith.constant 1 : i64
          %14 = arith.ori %13, %c1_i64_18 : i64
          %15 = arith.ceildivsi %arg8, %14 : i64
          %c6_19 = arith.constant 6 : index
          %16 = arith.minsi %c6_19, %11 : index
        }
        scf.yield %12#1, %cst, %true_13, %arg11 : i64, f32, i1, f32
      }
      %false_10 = arith.constant false
      %6:2 = scf.if %false_10 -> (f32, i64) {
        %c-1_i32_12 = arith.constant -1 : i32
        %c-1_i32_13 = arith.constant -1 : i32
        %c-1_i32_14 = arith.constant -1 : i32
        %c1_i32 = arith.constant 1 : i32
        scf.for %arg7 = %c-1_i32_12 to %c-1_i32_14 step %c1_i32  : i32 {
          %false_15 = arith.constant false
          %cst_16 = arith.constant -1.000000e+00 : f32
          %8 = arith.select %false_15, %5#1, %cst_16 : f32
          %9 = arith.select %false_15, %5#1, %cst_16 : f32
          %c-1_17 = arith.constant -1 : index
          %c4_18 = arith.constant 4 : index
          %10 = arith.cmpi ult, %c-1_17, %c4_18 : index
        }
        scf.yield %5#1, %c1_i64 : f32, i64
      } else {
        %c-3_12 = arith.constant -3 : index
        %8:2 = scf.for %arg7 = %c-3_12 to %c-3_12 step %c1 iter_args(%arg8 = %cst, %arg9 = %c7_i32) -> (f32, i32) {
          %c-1_13 = arith.constant -1 : index
          %c3_14 = arith.constant 3 : index
          %9 = arith.maxsi %c-1_13, %c3_14 : index
          %10 = arith.extui %arg1 : i1 to i64
          %11 = arith.cmpi sgt, %1#2, %c2_i32 : i32
          %cst_15 = arith.constant 0.000000e+00 : f32
          scf.yield %cst_15, %arg9 : f32, i32
        }
        scf.yield %8#0, %5#0 : f32, i64
      }
      %c-3 = arith.constant -3 : index
      %c-3_11 = arith.constant -3 : index
      %c-1 = arith.constant -1 : index
      %7:2 = scf.for %arg7 = %c-3 to %c-1 step %c1 iter_args(%arg8 = %arg1, %arg9 = %5#3) -> (i1, f32) {
        %cst_12 = arith.constant 2.500000e+00 : f32
        %8:3 = scf.while (%arg10 = %0, %arg11 = %cst, %arg12 = %cst_12) : (index, f32, f32) -> (index, f32, f32) {
          %10 = arith.cmpi slt, %arg10, %c1 : index
          scf.condition(%10) %arg10, %arg11, %arg12 : index, f32, f32
        } do {
        ^bb0(%arg10: index, %arg11: f32, %arg12: f32):
          %10 = arith.xori %arg8, %1#1 : i1
          %11 = arith.index_castui %arg10 : index to i32
          %12 = arith.addi %arg10, %c1 : index
          scf.yield %12, %5#3, %cst_12 : index, f32, f32
        }
        %c-1_i64 = arith.constant -1 : i64
        %c3_i64 = arith.constant 3 : i64
        %c1_i64_13 = arith.constant 1 : i64
        scf.for %arg10 = %c-1_i64 to %c3_i64 step %c1_i64_13  : i64 {
          %10 = arith.andi %8#0, %c8_8 : index
        }
        %9 = scf.for %arg10 = %c2 to %arg7 step %c1 iter_args(%arg11 = %c-1_i64) -> (i64) {
          %10 = arith.addi %c3_i64, %c-1_i64 : i64
          %c3518445091231033844_i64 = arith.constant 3518445091231033844 : i64
          %low, %high = arith.mulsi_extended %c3518445091231033844_i64, %c-1_i64 : i64
          scf.yield %low : i64
        }
        scf.yield %arg1, %arg9 : i1, f32
      }
    } else {
      %c2_i32_8 = arith.constant 2 : i32
      %c6_i32_9 = arith.constant 6 : i32
      %c2_i32_10 = arith.constant 2 : i32
      %c0_i64 = arith.constant 0 : i64
      %cst = arith.constant -3.750000e-01 : f32
      %5:3 = scf.for %arg7 = %c2_i32_8 to %c6_i32_9 step %c2_i32_10 iter_args(%arg8 = %c0_i64, %arg9 = %cst, %arg10 = %c0_i64) -> (i64, f32, i64)  : i32 {
        %7 = arith.extui %1#2 : i32 to i64
        %8:3 = scf.while (%arg11 = %0, %arg12 = %2#0, %arg13 = %false) : (index, i32, i1) -> (index, i32, i1) {
          %11 = arith.cmpi slt, %arg11, %c0 : index
          %true = arith.constant true
          %12 = arith.cmpi eq, %true, %2#1 : i1
          %false_15 = arith.constant false
          %13 = arith.andi %11, %false_15 : i1
          scf.condition(%13) %arg11, %arg12, %arg13 : index, i32, i1
        } do {
        ^bb0(%arg11: index, %arg12: i32, %arg13: i1):
          %11 = arith.addi %arg11, %c1 : index
          scf.yield %11, %arg12, %1#1 : index, i32, i1
        }
        %c5_13 = arith.constant 5 : index
        %c-1_i32_14 = arith.constant -1 : i32
        %9:2 = scf.for %arg11 = %c1 to %c5_13 step %c2 iter_args(%arg12 = %c-1_i32_14, %arg13 = %c-1_i32_14) -> (i32, i32) {
          scf.yield %c-1_i32_14, %arg13 : i32, i32
        }
        %10 = arith.cmpi sgt, %c0_i64, %c0_i64 : i64
        scf.yield %arg8, %arg9, %7 : i64, f32, i64
      }
      %c0_11 = arith.constant 0 : index
      %c4_12 = arith.constant 4 : index
      %6 = scf.for %arg7 = %c0_11 to %c4_12 step %c3 iter_args(%arg8 = %c0_i64) -> (i64) {
        %c-3 = arith.constant -3 : index
        %c-1 = arith.constant -1 : index
        %7 = scf.for %arg9 = %c-3 to %c-1 step %c1 iter_args(%arg10 = %2#1) -> (i1) {
          %9 = arith.trunci %1#2 : i32 to i1
          %false_13 = arith.constant false
          %10 = arith.maxsi %2#1, %false_13 : i1
          %11 = arith.muli %arg7, %arg9 : index
          %12 = arith.extui %c2_i32_10 : i32 to i64
          scf.yield %9 : i1
        }
        %8 = scf.for %arg9 = %c0_0 to %c1 step %c1 iter_args(%arg10 = %1#0) -> (i32) {
          %9 = arith.addi %arg7, %arg7 : index
          %10 = arith.addi %arg7, %arg7 : index
          %11 = arith.maxsi %9, %9 : index
          %12 = arith.extsi %c2_i32_8 : i32 to i64
          %13 = arith.extsi %c2_i32_10 : i32 to i64
          %14 = arith.subi %12, %13 overflow<nsw> : i64
          %c63_i32 = arith.constant 63 : i32
          %15 = arith.andi %c-1_i32, %c63_i32 : i32
          %16 = arith.index_castui %15 : i32 to index
          scf.yield %15 : i32
        }
        scf.yield %c0_i64 : i64
      }
    }
    %c1_1 = arith.constant 1 : index
    %c2_2 = arith.constant 2 : index
    %3:2 = scf.for %arg7 = %c1_1 to %c2_2 step %c1_1 iter_args(%arg8 = %arg1, %arg9 = %arg0) -> (i1, i1) {
      %5 = arith.cmpi uge, %c7_i32, %c2_i32 : i32
      %6 = scf.for %arg10 = %c2 to %c2_2 step %c3 iter_args(%arg11 = %arg9) -> (i1) {
        %c1_11 = arith.constant 1 : index
        %false_12 = arith.constant false
        %8:4 = scf.for %arg12 = %c0_0 to %c2 step %c1_11 iter_args(%arg13 = %false_12, %arg14 = %c2_i32, %arg15 = %2#0, %arg16 = %1#0) -> (i1, i32, i32, i32) {
          %c0_i64 = arith.constant 0 : i64
          %c0_i64_13 = arith.constant 0 : i64
          %9 = arith.shli %c0_i64, %c0_i64 : i64
          scf.yield %arg13, %arg14, %arg16, %arg14 : i1, i32, i32, i32
        }
        scf.yield %false_12 : i1
      }
      %c0_8 = arith.constant 0 : index
      %c1_9 = arith.constant 1 : index
      %cst = arith.constant -2.02666756E+15 : f32
      %c-1_i32_10 = arith.constant -1 : i32
      %7:3 = scf.for %arg10 = %c0_8 to %c1_9 step %c2 iter_args(%arg11 = %cst, %arg12 = %c-1_i32_10, %arg13 = %cst) -> (f32, i32, f32) {
        %c-3033441086939277001_i64 = arith.constant -3033441086939277001 : i64
        %8:4 = scf.for %arg14 = %0 to %c2 step %c3 iter_args(%arg15 = %cst, %arg16 = %6, %arg17 = %c-3033441086939277001_i64, %arg18 = %arg11) -> (f32, i1, i64, f32) {
          %true = arith.constant true
          %10 = arith.select %true, %1#0, %c-1_i32_10 : i32
          %cst_11 = arith.constant 1.000000e+00 : f32
          %cst_12 = arith.constant 1.000000e+00 : f32
          scf.yield %arg15, %true, %c-3033441086939277001_i64, %cst_11 : f32, i1, i64, f32
        }
        %9 = arith.select %5, %c7_i32, %c-1_i32_10 : i32
        scf.yield %arg13, %9, %arg13 : f32, i32, f32
      }
      scf.yield %5, %6 : i1, i1
    }
    %c6_i32 = arith.constant 6 : i32
    %c-8018993243399091998_i64 = arith.constant -8018993243399091998 : i64
    %4:4 = scf.if %1#1 -> (i32, i1, i1, i64) {
      %c5_8 = arith.constant 5 : index
      %cst = arith.constant 1.000000e+00 : f32
      %5:2 = scf.for %arg7 = %c0_0 to %c5_8 step %c1_1 iter_args(%arg8 = %3#0, %arg9 = %cst) -> (i1, f32) {
        %7:2 = scf.for %arg10 = %c0 to %arg7 step %c1_1 iter_args(%arg11 = %arg9, %arg12 = %c-8018993243399091998_i64) -> (f32, i64) {
          %8 = arith.ori %2#0, %1#0 : i32
          %9 = arith.select %2#1, %arg12, %c-8018993243399091998_i64 : i64
          scf.yield %arg9, %9 : f32, i64
        }
        scf.yield %arg8, %7#0 : i1, f32
      }
      %c4_9 = arith.constant 4 : index
      %6:4 = scf.while (%arg7 = %0, %arg8 = %cst, %arg9 = %cst, %arg10 = %cst) : (index, f32, f32, f32) -> (index, f32, f32, f32) {
        %7 = arith.cmpi slt, %arg7, %c4_9 : index
        %true = arith.constant true
        %8 = arith.andi %7, %true : i1
        scf.condition(%8) %arg7, %arg8, %arg9, %arg10 : index, f32, f32, f32
      } do {
      ^bb0(%arg7: index, %arg8: f32, %arg9: f32, %arg10: f32):
        %7 = arith.addi %arg7, %c1 : index
        scf.yield %7, %5#1, %arg9, %arg8 : index, f32, f32, f32
      }
      scf.yield %c5_i32, %3#0, %5#0, %c-8018993243399091998_i64 : i32, i1, i1, i64
    } else {
      %cst = arith.constant -1.000000e+00 : f32
      %c4_8 = arith.constant 4 : index
      %5:5 = scf.while (%arg7 = %c0, %arg8 = %cst, %arg9 = %2#0, %arg10 = %cst, %arg11 = %3#1) : (index, f32, i32, f32, i1) -> (index, f32, i32, f32, i1) {
        %8 = arith.cmpi slt, %arg7, %c4_8 : index
        %c-3 = arith.constant -3 : index
        %9:3 = scf.for %arg12 = %c-3 to %c1 step %c3 iter_args(%arg13 = %cst, %arg14 = %cst, %arg15 = %cst) -> (f32, f32, f32) {
          %11 = arith.extsi %1#0 : i32 to i64
          %12 = arith.extsi %arg9 : i32 to i64
          %13 = arith.addi %11, %12 overflow<nsw> : i64
          %cst_9 = arith.constant 1.000000e+01 : f32
          scf.yield %cst_9, %cst_9, %arg15 : f32, f32, f32
        }
        %10 = arith.andi %8, %1#1 : i1
        scf.condition(%10) %arg7, %arg8, %arg9, %arg10, %arg11 : index, f32, i32, f32, i1
      } do {
      ^bb0(%arg7: index, %arg8: f32, %arg9: i32, %arg10: f32, %arg11: i1):
        %8 = arith.addi %arg7, %c1 : index
        scf.yield %8, %arg10, %c7_i32, %arg8, %false : index, f32, i32, f32, i1
      }
      %6:4 = scf.for %arg7 = %c1_1 to %c1 step %c3 iter_args(%arg8 = %c-8018993243399091998_i64, %arg9 = %c-8018993243399091998_i64, %arg10 = %3#1, %arg11 = %5#1) -> (i64, i64, i1, f32) {
        %c-3 = arith.constant -3 : index
        %c0_9 = arith.constant 0 : index
        %8:2 = scf.for %arg12 = %c-3 to %c0_9 step %c2_2 iter_args(%arg13 = %3#1, %arg14 = %3#0) -> (i1, i1) {
          %12 = arith.maxsi %arg1, %3#1 : i1
          %13 = arith.maxsi %arg13, %arg14 : i1
          %14 = arith.extui %arg13 : i1 to i32
          %15 = arith.select %5#4, %arg9, %c-8018993243399091998_i64 : i64
          scf.yield %arg13, %12 : i1, i1
        }
        %true_10 = arith.constant true
        %true_11 = arith.constant true
        %9:3 = scf.if %5#4 -> (i64, i1, i32) {
          %12 = arith.cmpi uge, %arg9, %arg9 : i64
          scf.yield %arg8, %12, %2#0 : i64, i1, i32
        } else {
          %c8_14 = arith.constant 8 : index
          %12 = arith.addi %5#0, %c8_14 : index
          %c255_i32 = arith.constant 255 : i32
          %c7_i32_15 = arith.constant 7 : i32
          %13 = arith.select %8#0, %c255_i32, %c7_i32_15 : i32
          %c31_i32 = arith.constant 31 : i32
          %14 = arith.shli %c6_i32, %c31_i32 : i32
          scf.yield %arg9, %8#1, %c255_i32 : i64, i1, i32
        }
        %c8_12 = arith.constant 8 : index
        %c183603749_i32 = arith.constant 183603749 : i32
        %10 = scf.for %arg12 = %arg7 to %c8_12 step %c2 iter_args(%arg13 = %c183603749_i32) -> (i32) {
          scf.yield %9#2 : i32
        }
        scf.if %3#0 {
          %12 = arith.minsi %5#0, %5#0 : index
          %false_14 = arith.constant false
          %13 = arith.ori %arg10, %false_14 : i1
        }
        %c0_13 = arith.constant 0 : index
        %11:3 = scf.for %arg12 = %c0_13 to %5#0 step %c1_1 iter_args(%arg13 = %arg8, %arg14 = %1#0, %arg15 = %arg10) -> (i64, i32, i1) {
          scf.yield %arg13, %10, %arg15 : i64, i32, i1
        }
        scf.yield %arg9, %9#0, %arg10, %arg11 : i64, i64, i1, f32
      }
      %true = arith.constant true
      %7:4 = scf.if %true -> (i32, f32, f32, i64) {
        %8:2 = scf.if %2#1 -> (i32, i64) {
          %11 = arith.subi %3#0, %5#4 : i1
          %c6_i32_12 = arith.constant 6 : i32
          %c649531781_i32 = arith.constant 649531781 : i32
          %12 = arith.minui %c6_i32_12, %c649531781_i32 : i32
          scf.yield %c649531781_i32, %c-8018993243399091998_i64 : i32, i64
        } else {
          %11 = arith.maxsi %6#0, %6#0 : i64
          %true_12 = arith.constant true
          %12 = arith.xori %3#0, %true_12 : i1
          scf.yield %1#0, %11 : i32, i64
        }
        %c0_9 = arith.constant 0 : index
        %9:4 = scf.while (%arg7 = %c0_9, %arg8 = %6#0, %arg9 = %5#1, %arg10 = %5#4) : (index, i64, f32, i1) -> (index, i64, f32, i1) {
          %11 = arith.cmpi slt, %arg7, %c0 : index
          scf.condition(%11) %arg7, %arg8, %arg9, %arg10 : index, i64, f32, i1
        } do {
        ^bb0(%arg7: index, %arg8: i64, %arg9: f32, %arg10: i1):
          %false_12 = arith.constant false
          %11 = arith.select %false_12, %6#3, %5#3 : f32
          %12 = arith.subi %arg7, %c4_8 : index
          %13 = arith.index_cast %c-4 : index to i32
          %14 = arith.addi %arg7, %c1 : index
          scf.yield %14, %c-8018993243399091998_i64, %11, %false_12 : index, i64, f32, i1
        }
        %c1_10 = arith.constant 1 : index
        %c6_11 = arith.constant 6 : index
        %10:3 = scf.for %arg7 = %c1 to %c6_11 step %c1_10 iter_args(%arg8 = %5#1, %arg9 = %2#0, %arg10 = %6#3) -> (f32, i32, f32) {
          scf.yield %5#3, %2#0, %6#3 : f32, i32, f32
        }
        scf.yield %8#0, %9#2, %9#2, %9#1 : i32, f32, f32, i64
      } else {
        %c3_i32 = arith.constant 3 : i32
        %8 = arith.andi %5#2, %c3_i32 : i32
        %c1_i32 = arith.constant 1 : i32
        %9 = arith.ori %8, %c1_i32 : i32
        %10 = arith.ceildivsi %c7_i32, %9 : i32
        %11 = arith.divsi %5#0, %c1 : index
        %12 = scf.if %2#1 -> (i1) {
          %c31_i32 = arith.constant 31 : i32
          %13 = arith.andi %9, %c31_i32 : i32
          %c4_i32 = arith.constant 4 : i32
          %14 = arith.shrsi %c4_i32, %13 : i32
          %c-4285896180485213896_i64 = arith.constant -4285896180485213896 : i64
          %15 = arith.select %3#1, %c-8018993243399091998_i64, %c-4285896180485213896_i64 : i64
          scf.yield %arg1 : i1
        } else {
          %false_9 = arith.constant false
          scf.yield %false_9 : i1
        }
        scf.yield %c3_i32, %6#3, %5#3, %6#0 : i32, f32, f32, i64
      }
      scf.yield %7#0, %6#2, %6#2, %6#1 : i32, i1, i1, i64
    }
    memref.store %1#1, %arg3[%c0] : memref<7xi1>
    memref.store %2#1, %arg3[%c1_1] : memref<7xi1>
    memref.store %3#0, %arg3[%c2] : memref<7xi1>
    memref.store %3#1, %arg3[%c3] : memref<7xi1>
    %c4 = arith.constant 4 : index
    memref.store %4#1, %arg3[%c4] : memref<7xi1>
    %c5 = arith.constant 5 : index
    memref.store %4#2, %arg3[%c5] : memref<7xi1>
    %c6 = arith.constant 6 : index
    memref.store %arg0, %arg3[%c6] : memref<7xi1>
    memref.store %c7_i32, %arg4[%c0] : memref<9xi32>
    memref.store %1#0, %arg4[%c1_1] : memref<9xi32>
    %c2_3 = arith.constant 2 : index
    memref.store %1#2, %arg4[%c2_3] : memref<9xi32>
    %c3_4 = arith.constant 3 : index
    memref.store %2#0, %arg4[%c3_4] : memref<9xi32>
    memref.store %c6_i32, %arg4[%c4] : memref<9xi32>
    %c5_5 = arith.constant 5 : index
    memref.store %4#0, %arg4[%c5_5] : memref<9xi32>
    memref.store %c-1_i32, %arg4[%c6] : memref<9xi32>
    %c7 = arith.constant 7 : index
    memref.store %c5_i32, %arg4[%c7] : memref<9xi32>
    %c8 = arith.constant 8 : index
    memref.store %c-771358859_i32, %arg4[%c8] : memref<9xi32>
    %c0_6 = arith.constant 0 : index
    memref.store %c-8018993243399091998_i64, %arg5[%c0_6] : memref<2xi64>
    memref.store %4#3, %arg5[%c1_1] : memref<2xi64>
    memref.store %c2, %arg6[%c0_0] : memref<9xindex>
    memref.store %c0_0, %arg6[%c1] : memref<9xindex>
    memref.store %c3, %arg6[%c2_3] : memref<9xindex>
    memref.store %c12, %arg6[%c3_4] : memref<9xindex>
    memref.store %c1_1, %arg6[%c4] : memref<9xindex>
    memref.store %c2_2, %arg6[%c5_5] : memref<9xindex>
    memref.store %c-4, %arg6[%c6] : memref<9xindex>
    memref.store %0, %arg6[%c7] : memref<9xindex>
    %c8_7 = arith.constant 8 : index
    memref.store %c1, %arg6[%c8_7] : memref<9xindex>
    return
  }
}
