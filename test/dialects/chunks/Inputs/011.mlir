// {"kind": "carried", "entry": "chunk11", "traits": [], "arguments": [["a0", "i64", [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
module {
  func.func @chunk11(%arg0: i64, %arg1: memref<2xf32> {tilewright.output}, %arg2: memref<2xi1> {tilewright.output}, %arg3: memref<5xi32> {tilewright.output}, %arg4: memref<4xi64> {tilewright.output}, %arg5: memref<8xindex> {tilewright.output}) {
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    scf.for %arg6 = %c2 to %c6 step %c3 {
      %false = arith.constant false
      %cst_6 = arith.constant 7.000000e+00 : f32
      %c0_i32 = arith.constant 0 : i32
      %3:3 = scf.if %false -> (f32, i32, i1) {
        %c0_9 = arith.constant 0 : index
        %c13 = arith.constant 13 : index
        %c13_10 = arith.constant 13 : index
        %5 = scf.for %arg7 = %c0_9 to %c13 step %c3 iter_args(%arg8 = %cst_6) -> (f32) {
          %c-1 = arith.constant -1 : index
          %6 = arith.addi %arg6, %c-1 : index
          scf.yield %arg8 : f32
        }
        scf.yield %5, %c0_i32, %false : f32, i32, i1
      } else {
        %c1655812006_i32 = arith.constant 1655812006 : i32
        %c1655812006_i32_9 = arith.constant 1655812006 : i32
        scf.yield %cst_6, %c1655812006_i32, %false : f32, i32, i1
      }
      %c0_7 = arith.constant 0 : index
      %c1_8 = arith.constant 1 : index
      %c-4362076933951244232_i64 = arith.constant -4362076933951244232 : i64
      %4 = scf.for %arg7 = %c0_7 to %c1_8 step %c1_8 iter_args(%arg8 = %c-4362076933951244232_i64) -> (i64) {
        %c0_9 = arith.constant 0 : index
        %5:2 = scf.while (%arg9 = %c0_7, %arg10 = %false) : (index, i1) -> (index, i1) {
          %8 = arith.cmpi slt, %arg9, %c0_9 : index
          %9 = arith.cmpi eq, %arg9, %c1_8 : index
          %false_12 = arith.constant false
          %10 = arith.cmpi sle, %9, %false_12 : i1
          %true_13 = arith.constant true
          %11 = arith.andi %8, %true_13 : i1
          scf.condition(%11) %arg9, %arg10 : index, i1
        } do {
        ^bb0(%arg9: index, %arg10: i1):
          %true_12 = arith.constant true
          %8 = arith.minui %true_12, %arg10 : i1
          %9 = arith.addi %arg9, %c1_8 : index
          scf.yield %9, %8 : index, i1
        }
        %6:5 = scf.while (%arg9 = %arg7, %arg10 = %3#0, %arg11 = %arg0, %arg12 = %3#1, %arg13 = %cst_6) : (index, f32, i64, i32, f32) -> (index, f32, i64, i32, f32) {
          %8 = arith.cmpi slt, %arg9, %c2 : index
          scf.condition(%8) %arg9, %arg10, %arg11, %arg12, %arg13 : index, f32, i64, i32, f32
        } do {
        ^bb0(%arg9: index, %arg10: f32, %arg11: i64, %arg12: i32, %arg13: f32):
          %8 = arith.extui %3#2 : i1 to i64
          %false_12 = arith.constant false
          %9 = arith.select %false_12, %arg10, %arg10 : f32
          %10 = arith.cmpi ugt, %arg12, %3#1 : i32
          %11 = arith.addi %arg9, %c1_8 : index
          scf.yield %11, %9, %arg11, %3#1, %arg13 : index, f32, i64, i32, f32
        }
        %c2_10 = arith.constant 2 : index
        %c4_11 = arith.constant 4 : index
        %c-5_i64 = arith.constant -5 : i64
        %7:2 = scf.for %arg9 = %c2_10 to %c4_11 step %c1_8 iter_args(%arg10 = %c-5_i64, %arg11 = %6#2) -> (i64, i64) {
          %c-32768_i32 = arith.constant -32768 : i32
          %8 = arith.extui %c-32768_i32 : i32 to i64
          %true_12 = arith.constant true
          %true_13 = arith.constant true
          %9 = arith.ori %true_12, %true_13 : i1
          %c-3_i64 = arith.constant -3 : i64
          %c7_i64 = arith.constant 7 : i64
          %c6_i64 = arith.constant 6 : i64
          %10 = arith.andi %c6_i64, %c7_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %11 = arith.ori %10, %c1_i64 : i64
          %12 = arith.floordivsi %c-3_i64, %11 : i64
          scf.yield %arg11, %arg11 : i64, i64
        }
        scf.yield %arg8 : i64
      }
    }
    %c-32769_i32 = arith.constant -32769 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0:2 = scf.while (%arg6 = %c0, %arg7 = %c-32769_i32) : (index, i32) -> (index, i32) {
      %3 = arith.cmpi slt, %arg6, %c2 : index
      scf.condition(%3) %arg6, %arg7 : index, i32
    } do {
    ^bb0(%arg6: index, %arg7: i32):
      %true_6 = arith.constant true
      %3:2 = scf.while (%arg8 = %c0, %arg9 = %true_6) : (index, i1) -> (index, i1) {
        %5 = arith.cmpi slt, %arg8, %c3 : index
        %c0_7 = arith.constant 0 : index
        %c9 = arith.constant 9 : index
        %6:2 = scf.for %arg10 = %c0_7 to %c9 step %c2 iter_args(%arg11 = %true_6, %arg12 = %arg9) -> (i1, i1) {
          %c-2_i32_8 = arith.constant -2 : i32
          %8 = arith.divui %c-32769_i32, %c-2_i32_8 : i32
          scf.yield %5, %arg12 : i1, i1
        }
        %7 = arith.andi %5, %arg9 : i1
        scf.condition(%7) %arg8, %arg9 : index, i1
      } do {
      ^bb0(%arg8: index, %arg9: i1):
        %5 = arith.addi %arg8, %c1 : index
        scf.yield %5, %arg9 : index, i1
      }
      %4 = arith.addi %arg6, %c1 : index
      scf.yield %4, %arg7 : index, i32
    }
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    scf.for %arg6 = %c0_0 to %c3 step %c1 {
      %true_6 = arith.constant true
      %3:2 = scf.if %true_6 -> (i32, i1) {
        %false = arith.constant false
        %5 = scf.if %false -> (i64) {
          %sum, %overflow = arith.addui_extended %0#1, %0#1 : i32, i1
          scf.yield %arg0 : i64
        } else {
          %6 = arith.extsi %0#1 : i32 to i64
          %c607798858_i32 = arith.constant 607798858 : i32
          %7 = arith.extsi %c607798858_i32 : i32 to i64
          %8 = arith.subi %6, %7 overflow<nsw> : i64
          %9 = arith.subi %0#0, %arg6 : index
          scf.yield %7 : i64
        }
        scf.yield %c-32769_i32, %false : i32, i1
      } else {
        %c1_7 = arith.constant 1 : index
        %5:4 = scf.for %arg7 = %c1_7 to %c1_7 step %c1_7 iter_args(%arg8 = %0#1, %arg9 = %arg0, %arg10 = %arg0, %arg11 = %arg0) -> (i32, i64, i64, i64) {
          %6 = arith.minsi %arg8, %c-32769_i32 : i32
          scf.yield %6, %arg11, %arg11, %arg0 : i32, i64, i64, i64
        }
        scf.if %true_6 {
        } else {
          %6 = arith.addi %c-32769_i32, %c-32769_i32 : i32
          %c7_i32 = arith.constant 7 : i32
          %7 = arith.andi %6, %c7_i32 : i32
          %8 = arith.index_castui %7 : i32 to index
        }
        scf.yield %5#0, %true_6 : i32, i1
      }
      %4 = arith.minui %3#1, %true_6 : i1
    }
    %c-2_i32 = arith.constant -2 : i32
    %c2_i32 = arith.constant 2 : i32
    %c1_i32 = arith.constant 1 : i32
    scf.for %arg6 = %c-2_i32 to %c2_i32 step %c1_i32  : i32 {
      %c0_6 = arith.constant 0 : index
      scf.for %arg7 = %c0_6 to %c6 step %c2 {
        %false_14 = arith.constant false
        %cst_15 = arith.constant 0.000000e+00 : f32
        %5:2 = scf.if %false_14 -> (i64, f32) {
          scf.yield %arg0, %cst_15 : i64, f32
        } else {
          %8 = arith.cmpi sge, %false_14, %false_14 : i1
          %c7_16 = arith.constant 7 : index
          %9 = arith.muli %c7_16, %arg7 : index
          %c2147483647_i64 = arith.constant 2147483647 : i64
          %10 = arith.select %false_14, %c2147483647_i64, %c2147483647_i64 : i64
          scf.yield %10, %cst_15 : i64, f32
        }
        scf.for %arg8 = %c1 to %c1 step %c1 {
          %c63_i64 = arith.constant 63 : i64
          %8 = arith.andi %arg0, %c63_i64 : i64
          %9 = arith.index_castui %8 : i64 to index
          %false_16 = arith.constant false
          %10 = arith.select %false_16, %c2_i32, %c-32769_i32 : i32
        }
        %c6_i32 = arith.constant 6 : i32
        %6 = scf.for %arg8 = %c1 to %0#0 step %c1 iter_args(%arg9 = %c6_i32) -> (i32) {
          %c992846580_i32 = arith.constant 992846580 : i32
          %8 = arith.muli %c-2_i32, %c992846580_i32 : i32
          scf.yield %c992846580_i32 : i32
        }
        %7:4 = scf.for %arg8 = %c0_0 to %c2 step %c1 iter_args(%arg9 = %false_14, %arg10 = %cst_15, %arg11 = %6, %arg12 = %c6_i32) -> (i1, f32, i32, i32) {
          scf.yield %arg9, %arg10, %c2_i32, %arg11 : i1, f32, i32, i32
        }
      }
      scf.for %arg7 = %c2 to %c3 step %c1 {
        %c8 = arith.constant 8 : index
        %5 = arith.maxsi %c8, %0#0 : index
        %true_14 = arith.constant true
        %cst_15 = arith.constant -5.000000e-01 : f32
        %c-32769_i32_16 = arith.constant -32769 : i32
        %6:4 = scf.if %true_14 -> (i1, f32, i32, i1) {
          %true_19 = arith.constant true
          scf.yield %true_14, %cst_15, %c-32769_i32, %true_19 : i1, f32, i32, i1
        } else {
          %cst_19 = arith.constant 5.000000e-01 : f32
          scf.yield %true_14, %cst_19, %c2_i32, %true_14 : i1, f32, i32, i1
        }
        %7 = scf.while (%arg8 = %c0) : (index) -> index {
          %10 = arith.cmpi slt, %arg8, %arg7 : index
          scf.condition(%10) %arg8 : index
        } do {
        ^bb0(%arg8: index):
          %10 = arith.maxui %c2_i32, %c-32769_i32_16 : i32
          %c32767_i64 = arith.constant 32767 : i64
          %11 = arith.muli %c32767_i64, %c32767_i64 : i64
          %c3_i64 = arith.constant 3 : i64
          %12 = arith.andi %arg0, %c3_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %13 = arith.ori %12, %c1_i64 : i64
          %14 = arith.ceildivsi %arg0, %13 : i64
          %15 = arith.addi %arg8, %c1 : index
          scf.yield %15 : index
        }
        %c1_17 = arith.constant 1 : index
        %8:4 = scf.while (%arg8 = %c0, %arg9 = %arg0, %arg10 = %arg0, %arg11 = %true_14) : (index, i64, i64, i1) -> (index, i64, i64, i1) {
          %10 = arith.cmpi slt, %arg8, %c0 : index
          scf.condition(%10) %arg8, %arg9, %arg10, %arg11 : index, i64, i64, i1
        } do {
        ^bb0(%arg8: index, %arg9: i64, %arg10: i64, %arg11: i1):
          %10 = arith.addi %arg9, %arg10 : i64
          %11 = arith.addi %arg8, %c1_17 : index
          scf.yield %11, %10, %10, %arg11 : index, i64, i64, i1
        }
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %c1_i32_18 = arith.constant 1 : i32
        %9 = scf.for %arg8 = %c0_i32 to %c4_i32 step %c1_i32_18 iter_args(%arg9 = %arg0) -> (i64)  : i32 {
          %10 = arith.xori %c4_i32, %6#2 : i32
          scf.yield %arg9 : i64
        }
      }
      %c-3_7 = arith.constant -3 : index
      %c2_8 = arith.constant 2 : index
      %c-1 = arith.constant -1 : index
      %false = arith.constant false
      %3:3 = scf.for %arg7 = %c-3_7 to %c-1 step %c2_8 iter_args(%arg8 = %false, %arg9 = %false, %arg10 = %0#1) -> (i1, i1, i32) {
        %false_14 = arith.constant false
        scf.yield %false, %false_14, %c2_i32 : i1, i1, i32
      }
      %c1_9 = arith.constant 1 : index
      %c4_10 = arith.constant 4 : index
      %c4_11 = arith.constant 4 : index
      %cst_12 = arith.constant 2.01571298 : f32
      %true_13 = arith.constant true
      %4:3 = scf.for %arg7 = %c0_6 to %c4_10 step %c1_9 iter_args(%arg8 = %3#0, %arg9 = %cst_12, %arg10 = %true_13) -> (i1, f32, i1) {
        %c-2 = arith.constant -2 : index
        %5:2 = scf.for %arg11 = %c-3_7 to %c-2 step %c1 iter_args(%arg12 = %3#2, %arg13 = %arg0) -> (i32, i64) {
          scf.yield %0#1, %arg13 : i32, i64
        }
        %true_14 = arith.constant true
        scf.yield %true_14, %arg9, %true_14 : i1, f32, i1
      }
    }
    %c5 = arith.constant 5 : index
    %1 = scf.for %arg6 = %c2 to %c5 step %c1 iter_args(%arg7 = %arg0) -> (i64) {
      %c-3_6 = arith.constant -3 : index
      scf.for %arg8 = %c-3_6 to %c0 step %c3 {
        %c0_i64 = arith.constant 0 : i64
        %c2_i64 = arith.constant 2 : i64
        %c1_i64_10 = arith.constant 1 : i64
        %6 = scf.for %arg9 = %c0_i64 to %c2_i64 step %c1_i64_10 iter_args(%arg10 = %c-32769_i32) -> (i32)  : i64 {
          scf.yield %arg10 : i32
        }
      }
      %c-1_i64 = arith.constant -1 : i64
      %c1_i64 = arith.constant 1 : i64
      %c1_i64_7 = arith.constant 1 : i64
      scf.for %arg8 = %c-1_i64 to %c1_i64 step %c1_i64_7  : i64 {
        %c0_i64 = arith.constant 0 : i64
        %6:3 = scf.while (%arg9 = %c0_0, %arg10 = %c1_i64_7, %arg11 = %c0_i64) : (index, i64, i64) -> (index, i64, i64) {
          %8 = arith.cmpi slt, %arg9, %c0_0 : index
          %9 = arith.cmpi slt, %arg9, %c0_0 : index
          %false_10 = arith.constant false
          %10 = arith.andi %8, %false_10 : i1
          scf.condition(%10) %arg9, %arg10, %arg11 : index, i64, i64
        } do {
        ^bb0(%arg9: index, %arg10: i64, %arg11: i64):
          %c7_i64 = arith.constant 7 : i64
          %8 = arith.andi %arg11, %c7_i64 : i64
          %9 = arith.index_cast %8 : i64 to index
          %10 = arith.ceildivui %arg9, %c1 : index
          %11 = arith.addi %arg9, %c1 : index
          scf.yield %11, %arg0, %c7_i64 : index, i64, i64
        }
        %false = arith.constant false
        %7 = scf.if %false -> (i64) {
          %c-4_i32_10 = arith.constant -4 : i32
          %c63_i32 = arith.constant 63 : i32
          %8 = arith.andi %c-2_i32, %c63_i32 : i32
          %c1_i32_11 = arith.constant 1 : i32
          %9 = arith.ori %8, %c1_i32_11 : i32
          %10 = arith.ceildivui %c-4_i32_10, %9 : i32
          %11 = arith.maxui %c1_i64_7, %arg8 : i64
          scf.yield %11 : i64
        } else {
          %8 = arith.extsi %c-32769_i32 : i32 to i64
          %9 = arith.extsi %c-2_i32 : i32 to i64
          %10 = arith.addi %8, %9 overflow<nsw> : i64
          %11 = math.absi %9 : i64
          scf.yield %10 : i64
        }
      }
      %true_8 = arith.constant true
      %3:2 = scf.if %true_8 -> (i1, i32) {
        scf.yield %true_8, %c2_i32 : i1, i32
      } else {
        %cst_10 = arith.constant 7.000000e+00 : f32
        %6:2 = scf.for %arg8 = %c0 to %c0_0 step %c3 iter_args(%arg9 = %true_8, %arg10 = %cst_10) -> (i1, f32) {
          %8 = arith.select %arg9, %true_8, %true_8 : i1
          %9 = arith.minui %arg9, %8 : i1
          scf.yield %8, %arg10 : i1, f32
        }
        %cst_11 = arith.constant -3.40282347E+38 : f32
        %7:2 = scf.if %true_8 -> (i32, f32) {
          %8 = arith.maxsi %c1_i64_7, %c1_i64_7 : i64
          %false = arith.constant false
          %9 = arith.select %false, %false, %true_8 : i1
          scf.yield %c-32769_i32, %cst_11 : i32, f32
        } else {
          %cst_12 = arith.constant -3.34466624 : f32
          scf.yield %c-2_i32, %cst_12 : i32, f32
        }
        scf.yield %6#0, %7#0 : i1, i32
      }
      %4 = math.absi %c-32769_i32 : i32
      %c12 = arith.constant 12 : index
      %cst_9 = arith.constant -8.32068845E+11 : f32
      %c-4_i32 = arith.constant -4 : i32
      %5:4 = scf.for %arg8 = %c0 to %c12 step %c3 iter_args(%arg9 = %cst_9, %arg10 = %c1_i64, %arg11 = %c-4_i32, %arg12 = %c1_i64) -> (f32, i64, i32, i64) {
        %c0_10 = arith.constant 0 : index
        %6:2 = scf.while (%arg13 = %c0_10, %arg14 = %3#0) : (index, i1) -> (index, i1) {
          %7 = arith.cmpi slt, %arg13, %c1 : index
          %true_11 = arith.constant true
          %8 = arith.andi %7, %true_11 : i1
          scf.condition(%8) %arg13, %arg14 : index, i1
        } do {
        ^bb0(%arg13: index, %arg14: i1):
          %c-2_i32_11 = arith.constant -2 : i32
          %7 = arith.cmpi uge, %c-2_i32_11, %4 : i32
          %8 = arith.select %arg14, %c1_i64_7, %c1_i64_7 : i64
          %9 = arith.addi %arg13, %c1 : index
          scf.yield %9, %3#0 : index, i1
        }
        scf.for %arg13 = %c0_0 to %c1 step %c1 {
          %c-2147483648_i32 = arith.constant -2147483648 : i32
          %7 = math.absi %c-2147483648_i32 : i32
          %c1734972293_i32 = arith.constant 1734972293 : i32
          %8 = arith.minsi %c1734972293_i32, %7 : i32
          %9 = arith.cmpi ule, %true_8, %6#1 : i1
          %10 = arith.trunci %c-2147483648_i32 : i32 to i1
          %11 = arith.trunci %c-2147483648_i32 : i32 to i1
          %sum, %overflow = arith.addui_extended %arg10, %c-1_i64 : i64, i1
        }
        scf.yield %arg9, %arg0, %arg11, %arg10 : f32, i64, i32, i64
      }
      scf.yield %5#1 : i64
    }
    %c-3 = arith.constant -3 : index
    %c2_2 = arith.constant 2 : index
    %cst = arith.constant 1.000000e+00 : f32
    %true = arith.constant true
    %2:4 = scf.for %arg6 = %c-3 to %c2_2 step %c3 iter_args(%arg7 = %cst, %arg8 = %arg0, %arg9 = %arg0, %arg10 = %true) -> (f32, i64, i64, i1) {
      scf.yield %cst, %arg0, %arg9, %arg10 : f32, i64, i64, i1
    }
    memref.store %cst, %arg1[%c0] : memref<2xf32>
    memref.store %2#0, %arg1[%c1] : memref<2xf32>
    memref.store %true, %arg2[%c0] : memref<2xi1>
    memref.store %2#3, %arg2[%c1] : memref<2xi1>
    memref.store %c-32769_i32, %arg3[%c0_0] : memref<5xi32>
    memref.store %0#1, %arg3[%c1] : memref<5xi32>
    memref.store %c-2_i32, %arg3[%c2_2] : memref<5xi32>
    memref.store %c2_i32, %arg3[%c3] : memref<5xi32>
    %c4 = arith.constant 4 : index
    memref.store %c1_i32, %arg3[%c4] : memref<5xi32>
    memref.store %arg0, %arg4[%c0] : memref<4xi64>
    memref.store %1, %arg4[%c1] : memref<4xi64>
    %c2_3 = arith.constant 2 : index
    memref.store %2#1, %arg4[%c2_3] : memref<4xi64>
    memref.store %2#2, %arg4[%c3] : memref<4xi64>
    memref.store %c1, %arg5[%c0_0] : memref<8xindex>
    %c1_4 = arith.constant 1 : index
    memref.store %0#0, %arg5[%c1_4] : memref<8xindex>
    memref.store %c0_0, %arg5[%c2_3] : memref<8xindex>
    memref.store %c5, %arg5[%c3] : memref<8xindex>
    memref.store %c-3, %arg5[%c4] : memref<8xindex>
    %c5_5 = arith.constant 5 : index
    memref.store %c2_2, %arg5[%c5_5] : memref<8xindex>
    memref.store %c3, %arg5[%c6] : memref<8xindex>
    %c7 = arith.constant 7 : index
    memref.store %c6, %arg5[%c7] : memref<8xindex>
    return
  }
}
