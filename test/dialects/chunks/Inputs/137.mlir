// {"kind": "carried", "entry": "chunk137", "traits": [], "arguments": [["a0", "i1", [0, 0], false], ["a1", "index", [0, 7], false], ["a2", ["memref", [], "i64"], [0, 0], false], ["a3", ["memref", [4], "f32"], [0, 0], false], ["a4", "index", [0, 7], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_i1", ["memref", [9], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_i1", ["memref", [9], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
module {
  func.func @chunk137(%arg0: i1, %arg1: index, %arg2: memref<i64>, %arg3: memref<4xf32>, %arg4: index, %arg5: memref<4xf32> {tilewright.output}, %arg6: memref<9xi1> {tilewright.output}, %arg7: memref<3xi32> {tilewright.output}, %arg8: memref<3xi64> {tilewright.output}, %arg9: memref<8xindex> {tilewright.output}) {
    %true = arith.constant true
    %c3 = arith.constant 3 : index
    %c3_0 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    %0:2 = scf.while (%arg10 = %c0, %arg11 = %true) : (index, i1) -> (index, i1) {
      %6 = arith.cmpi slt, %arg10, %c3 : index
      %c7309034752599415550_i64 = arith.constant 7309034752599415550 : i64
      %c63_i64 = arith.constant 63 : i64
      %7 = arith.andi %c7309034752599415550_i64, %c63_i64 : i64
      %8 = arith.index_castui %7 : i64 to index
      %9 = arith.andi %6, %true : i1
      scf.condition(%9) %arg10, %arg11 : index, i1
    } do {
    ^bb0(%arg10: index, %arg11: i1):
      %c1_i32 = arith.constant 1 : i32
      %c5_i32 = arith.constant 5 : i32
      %c1_i32_9 = arith.constant 1 : i32
      %c7395495659126168742_i64 = arith.constant 7395495659126168742 : i64
      %6:3 = scf.for %arg12 = %c1_i32 to %c5_i32 step %c1_i32_9 iter_args(%arg13 = %arg11, %arg14 = %arg0, %arg15 = %c7395495659126168742_i64) -> (i1, i1, i64)  : i32 {
        %true_13 = arith.constant true
        scf.yield %arg13, %true_13, %arg15 : i1, i1, i64
      }
      %c0_10 = arith.constant 0 : index
      %c2_11 = arith.constant 2 : index
      %cst_12 = arith.constant 1.000000e+00 : f32
      %7:3 = scf.for %arg12 = %c0_10 to %c2_11 step %c1 iter_args(%arg13 = %6#2, %arg14 = %cst_12, %arg15 = %c7395495659126168742_i64) -> (i64, f32, i64) {
        %c3_13 = arith.constant 3 : index
        %c5_14 = arith.constant 5 : index
        %9 = scf.for %arg16 = %c0 to %c5_14 step %c3_13 iter_args(%arg17 = %cst_12) -> (f32) {
          %c63_i64 = arith.constant 63 : i64
          %16 = arith.andi %arg15, %c63_i64 : i64
          %17 = arith.shrsi %arg13, %16 : i64
          %c31_i32 = arith.constant 31 : i32
          %c31_i32_19 = arith.constant 31 : i32
          %18 = arith.andi %c5_i32, %c31_i32 : i32
          %19 = arith.shli %c31_i32, %18 : i32
          scf.yield %cst_12 : f32
        }
        %c4_15 = arith.constant 4 : index
        %c0_16 = arith.constant 0 : index
        %10:3 = scf.while (%arg16 = %c0_16, %arg17 = %arg15, %arg18 = %6#2) : (index, i64, i64) -> (index, i64, i64) {
          %16 = arith.cmpi slt, %arg16, %c4_15 : index
          scf.condition(%16) %arg16, %arg17, %arg18 : index, i64, i64
        } do {
        ^bb0(%arg16: index, %arg17: i64, %arg18: i64):
          %16 = arith.addi %arg16, %c1 : index
          %c-7902453137319261044_i64 = arith.constant -7902453137319261044 : i64
          scf.yield %16, %arg18, %c-7902453137319261044_i64 : index, i64, i64
        }
        %c7_i32 = arith.constant 7 : i32
        %11 = arith.andi %c5_i32, %c7_i32 : i32
        %c1_i32_17 = arith.constant 1 : i32
        %12 = arith.ori %11, %c1_i32_17 : i32
        %13 = arith.ceildivsi %c1_i32, %12 : i32
        %c1_18 = arith.constant 1 : index
        %c-32768_i32 = arith.constant -32768 : i32
        %14 = scf.for %arg16 = %c0_16 to %c1_18 step %c1_18 iter_args(%arg17 = %c-32768_i32) -> (i32) {
          %false = arith.constant false
          %16 = arith.xori %false, %true : i1
          %17 = arith.xori %6#1, %true : i1
          %18 = arith.extsi %false : i1 to i64
          scf.yield %c7_i32 : i32
        }
        %15:2 = scf.while (%arg16 = %c0, %arg17 = %arg14) : (index, f32) -> (index, f32) {
          %16 = arith.cmpi slt, %arg16, %c4_15 : index
          scf.condition(%16) %arg16, %arg17 : index, f32
        } do {
        ^bb0(%arg16: index, %arg17: f32):
          %16 = arith.select %6#0, %6#0, %arg0 : i1
          %17 = arith.subi %arg13, %arg15 : i64
          %18 = arith.addi %arg16, %c1_18 : index
          scf.yield %18, %arg17 : index, f32
        }
        scf.yield %arg15, %9, %arg15 : i64, f32, i64
      }
      %8 = arith.addi %arg10, %c1 : index
      scf.yield %8, %arg11 : index, i1
    }
    %c-5_i64 = arith.constant -5 : i64
    %1:2 = scf.if %true -> (i1, i64) {
      %false = arith.constant false
      %c4_i32 = arith.constant 4 : i32
      %cst_9 = arith.constant 5.000000e-01 : f32
      %6:4 = scf.if %false -> (i32, f32, i64, i1) {
        scf.yield %c4_i32, %cst_9, %c-5_i64, %true : i32, f32, i64, i1
      } else {
        %c3882337865914687930_i64 = arith.constant 3882337865914687930 : i64
        scf.yield %c4_i32, %cst_9, %c3882337865914687930_i64, %false : i32, f32, i64, i1
      }
      %7 = arith.cmpi sge, %c-5_i64, %c-5_i64 : i64
      scf.yield %false, %6#2 : i1, i64
    } else {
      %c5_9 = arith.constant 5 : index
      %c5_10 = arith.constant 5 : index
      %c-3_i32 = arith.constant -3 : i32
      %6:2 = scf.for %arg10 = %c0 to %c5_9 step %c3 iter_args(%arg11 = %c-5_i64, %arg12 = %c-3_i32) -> (i64, i32) {
        %false = arith.constant false
        %c6_i64 = arith.constant 6 : i64
        %c4_11 = arith.constant 4 : index
        %7:3 = scf.while (%arg13 = %c0, %arg14 = %false, %arg15 = %c6_i64) : (index, i1, i64) -> (index, i1, i64) {
          %8 = arith.cmpi slt, %arg13, %c4_11 : index
          %9 = arith.muli %arg0, %false : i1
          %true_12 = arith.constant true
          %10 = arith.andi %8, %true_12 : i1
          %11 = arith.andi %8, %true_12 : i1
          scf.condition(%10) %arg13, %arg14, %arg15 : index, i1, i64
        } do {
        ^bb0(%arg13: index, %arg14: i1, %arg15: i64):
          %8 = arith.maxui %c-3_i32, %c-3_i32 : i32
          %9 = arith.addi %arg13, %c1 : index
          %10 = arith.addi %arg13, %c1 : index
          scf.yield %9, %false, %arg15 : index, i1, i64
        }
        scf.yield %c6_i64, %c-3_i32 : i64, i32
      }
      scf.yield %0#1, %6#0 : i1, i64
    }
    %2:4 = scf.if %1#0 -> (i1, i1, i1, i64) {
      scf.if %true {
        %c2_13 = arith.constant 2 : index
        %c1_14 = arith.constant 1 : index
        %c-1455792837_i32 = arith.constant -1455792837 : i32
        %8 = scf.for %arg10 = %c2_13 to %c2_13 step %c1_14 iter_args(%arg11 = %c-1455792837_i32) -> (i32) {
          %c6_15 = arith.constant 6 : index
          %9 = arith.addi %c6_15, %arg1 : index
          %c31_i32 = arith.constant 31 : i32
          %10 = arith.shrsi %arg11, %c31_i32 : i32
          %false = arith.constant false
          %11 = arith.cmpi ule, %false, %false : i1
          %12 = arith.cmpi ule, %false, %false : i1
          %13 = arith.ori %c-5_i64, %1#1 : i64
          scf.yield %arg11 : i32
        }
      } else {
        %c-1_i32 = arith.constant -1 : i32
        %c0_i32_13 = arith.constant 0 : i32
        %c1_i32 = arith.constant 1 : i32
        %8:3 = scf.for %arg10 = %c-1_i32 to %c0_i32_13 step %c1_i32 iter_args(%arg11 = %c-1_i32, %arg12 = %c1_i32, %arg13 = %1#1) -> (i32, i32, i64)  : i32 {
          %c-257_i64 = arith.constant -257 : i64
          %c-257_i64_15 = arith.constant -257 : i64
          %11 = arith.minsi %c-257_i64, %arg13 : i64
          %c1548860690373583092_i64 = arith.constant 1548860690373583092 : i64
          %12 = arith.subi %c-5_i64, %c1548860690373583092_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %13 = arith.shli %arg13, %c1_i64 : i64
          %true_16 = arith.constant true
          %14 = arith.muli %true_16, %0#1 : i1
          scf.yield %arg10, %arg10, %12 : i32, i32, i64
        }
        %9:2 = scf.if %true -> (i32, i64) {
          %11 = arith.select %1#0, %c1_i32, %8#1 : i32
          scf.yield %11, %8#2 : i32, i64
        } else {
          %11 = arith.addi %arg4, %arg4 : index
          %c-2_i32 = arith.constant -2 : i32
          %12 = arith.subi %8#0, %c-2_i32 : i32
          %13 = arith.cmpi uge, %c0_i32_13, %12 : i32
          scf.yield %c-2_i32, %8#2 : i32, i64
        }
        %c8_14 = arith.constant 8 : index
        %10 = arith.andi %c0, %c8_14 : index
      }
      %c3_9 = arith.constant 3 : index
      %cst_10 = arith.constant -1.401300e-45 : f32
      %6:4 = scf.for %arg10 = %c0 to %0#0 step %c3_9 iter_args(%arg11 = %cst_10, %arg12 = %1#1, %arg13 = %cst_10, %arg14 = %1#1) -> (f32, i64, f32, i64) {
        %c0_13 = arith.constant 0 : index
        %c4_14 = arith.constant 4 : index
        %c1727534181_i32 = arith.constant 1727534181 : i32
        %8:3 = scf.for %arg15 = %c0_13 to %c4_14 step %c1 iter_args(%arg16 = %c1727534181_i32, %arg17 = %arg11, %arg18 = %arg0) -> (i32, f32, i1) {
          %false_16 = arith.constant false
          %13 = arith.cmpi ugt, %true, %false_16 : i1
          %14 = arith.minsi %arg4, %0#0 : index
          scf.yield %c1727534181_i32, %arg17, %false_16 : i32, f32, i1
        }
        %c0_15 = arith.constant 0 : index
        %9:2 = scf.while (%arg15 = %c0, %arg16 = %arg11) : (index, f32) -> (index, f32) {
          %13 = arith.cmpi slt, %arg15, %c0_15 : index
          scf.condition(%13) %arg15, %arg16 : index, f32
        } do {
        ^bb0(%arg15: index, %arg16: f32):
          %13 = arith.extsi %8#0 : i32 to i64
          %c32768_i32 = arith.constant 32768 : i32
          %14 = arith.extsi %c32768_i32 : i32 to i64
          %15 = arith.subi %13, %14 overflow<nsw> : i64
          %c1771670742_i32 = arith.constant 1771670742 : i32
          %16 = arith.select %true, %c32768_i32, %c1771670742_i32 : i32
          %17 = arith.addi %arg15, %c1 : index
          scf.yield %17, %arg13 : index, f32
        }
        %false = arith.constant false
        %10:4 = scf.if %1#0 -> (i64, i1, i1, i32) {
          scf.yield %1#1, %true, %false, %8#0 : i64, i1, i1, i32
        } else {
          %c5_16 = arith.constant 5 : index
          %13 = arith.cmpi sgt, %c5_16, %arg4 : index
          %c0_i32_17 = arith.constant 0 : i32
          %14 = arith.ori %c0_i32_17, %c0_i32_17 : i32
          scf.yield %1#1, %13, %13, %c0_i32_17 : i64, i1, i1, i32
        }
        %11:2 = scf.while (%arg15 = %c0, %arg16 = %c-5_i64) : (index, i64) -> (index, i64) {
          %13 = arith.cmpi slt, %arg15, %c4_14 : index
          %c1_i64 = arith.constant 1 : i64
          %14 = arith.shrsi %c1_i64, %c1_i64 : i64
          %15 = arith.andi %13, %false : i1
          scf.condition(%15) %arg15, %arg16 : index, i64
        } do {
        ^bb0(%arg15: index, %arg16: i64):
          %c1_i64 = arith.constant 1 : i64
          %13 = arith.shli %arg14, %c1_i64 : i64
          %14 = arith.addi %arg15, %c1 : index
          scf.yield %14, %13 : index, i64
        }
        %12:2 = scf.if %0#1 -> (i64, i32) {
          %c8267706087184069700_i64 = arith.constant 8267706087184069700 : i64
          %13 = arith.trunci %c8267706087184069700_i64 : i64 to i1
          %14 = arith.andi %10#3, %c1727534181_i32 : i32
          %15 = arith.index_cast %11#0 : index to i64
          scf.yield %15, %14 : i64, i32
        } else {
          %13 = arith.index_cast %c1 : index to i64
          scf.yield %13, %10#3 : i64, i32
        }
        scf.yield %arg11, %10#0, %arg11, %11#1 : f32, i64, f32, i64
      }
      %c2_11 = arith.constant 2 : index
      %c10 = arith.constant 10 : index
      %c0_i32 = arith.constant 0 : i32
      %7:2 = scf.for %arg10 = %c0 to %c10 step %c2_11 iter_args(%arg11 = %cst_10, %arg12 = %c0_i32) -> (f32, i32) {
        scf.yield %arg11, %c0_i32 : f32, i32
      }
      %true_12 = arith.constant true
      scf.yield %true, %true_12, %true_12, %6#3 : i1, i1, i1, i64
    } else {
      %false = arith.constant false
      %true_9 = arith.constant true
      %6 = scf.if %false -> (i1) {
        %c2_10 = arith.constant 2 : index
        %cst_11 = arith.constant 2.83087277 : f32
        %7:4 = scf.for %arg10 = %c0 to %0#0 step %c2_10 iter_args(%arg11 = %1#1, %arg12 = %1#1, %arg13 = %cst_11, %arg14 = %true) -> (i64, i64, f32, i1) {
          %false_13 = arith.constant false
          %10 = arith.muli %true_9, %false_13 : i1
          %c-1 = arith.constant -1 : index
          %c-3 = arith.constant -3 : index
          %11 = arith.cmpi uge, %c-1, %c-3 : index
          %12 = arith.select %true_9, %1#1, %arg11 : i64
          %c31_i32 = arith.constant 31 : i32
          %c2_i32 = arith.constant 2 : i32
          %13 = arith.shli %c2_i32, %c31_i32 : i32
          scf.yield %12, %12, %arg13, %arg14 : i64, i64, f32, i1
        }
        %c5_12 = arith.constant 5 : index
        %c-32768_i64 = arith.constant -32768 : i64
        %c-5_i32 = arith.constant -5 : i32
        %8:3 = scf.for %arg10 = %c0 to %c5_12 step %c1 iter_args(%arg11 = %c-32768_i64, %arg12 = %7#2, %arg13 = %c-5_i32) -> (i64, f32, i32) {
          scf.yield %7#1, %arg12, %arg13 : i64, f32, i32
        }
        %9 = scf.for %arg10 = %c1 to %c2_10 step %c1 iter_args(%arg11 = %cst_11) -> (f32) {
          %10 = arith.addi %0#0, %arg1 : index
          scf.yield %7#2 : f32
        }
        scf.yield %7#3 : i1
      } else {
        %c-3_i32 = arith.constant -3 : i32
        %c3_i32 = arith.constant 3 : i32
        %7 = arith.divsi %c-3_i32, %c3_i32 : i32
        %c-1_i32 = arith.constant -1 : i32
        %c3_i32_10 = arith.constant 3 : i32
        %c2_i32 = arith.constant 2 : i32
        %c8_i64 = arith.constant 8 : i64
        %8:2 = scf.for %arg10 = %c-1_i32 to %c3_i32_10 step %c2_i32 iter_args(%arg11 = %c8_i64, %arg12 = %c3_i32_10) -> (i64, i32)  : i32 {
          %9 = arith.cmpi sge, %false, %1#0 : i1
          %c-2 = arith.constant -2 : index
          %10 = arith.addi %c-2, %arg1 : index
          %c-4_i32 = arith.constant -4 : i32
          %11 = arith.remui %c3_i32_10, %c-4_i32 : i32
          %12 = arith.ori %11, %arg12 : i32
          %c6_i64 = arith.constant 6 : i64
          %13 = arith.cmpi ne, %c-5_i64, %c6_i64 : i64
          scf.yield %c6_i64, %arg12 : i64, i32
        }
        scf.yield %true : i1
      }
      %c448790606640701906_i64 = arith.constant 448790606640701906 : i64
      scf.yield %false, %6, %6, %c448790606640701906_i64 : i1, i1, i1, i64
    }
    %cst = arith.constant -2.000000e+00 : f32
    %3:3 = scf.if %2#1 -> (f32, i1, i1) {
      %true_9 = arith.constant true
      scf.yield %cst, %2#0, %true_9 : f32, i1, i1
    } else {
      %c1769292771_i32 = arith.constant 1769292771 : i32
      %6:3 = scf.if %2#0 -> (f32, i64, i32) {
        %cst_10 = arith.constant -1.250000e-01 : f32
        scf.yield %cst_10, %2#3, %c1769292771_i32 : f32, i64, i32
      } else {
        %8:3 = scf.if %2#2 -> (i64, i64, i32) {
          %9 = arith.extui %c1769292771_i32 : i32 to i64
          %c3_i32 = arith.constant 3 : i32
          %10 = arith.andi %c3_i32, %c3_i32 : i32
          %c1_i32 = arith.constant 1 : i32
          %11 = arith.ori %10, %c1_i32 : i32
          %12 = arith.remui %c1769292771_i32, %11 : i32
          %13 = arith.ori %1#0, %0#1 : i1
          scf.yield %9, %c-5_i64, %12 : i64, i64, i32
        } else {
          %9 = math.absi %c1769292771_i32 : i32
          %10 = arith.cmpi ugt, %c0, %arg4 : index
          scf.yield %2#3, %1#1, %9 : i64, i64, i32
        }
        scf.yield %cst, %8#1, %8#2 : f32, i64, i32
      }
      %c0_9 = arith.constant 0 : index
      %7:3 = scf.for %arg10 = %c0 to %c0_9 step %c1 iter_args(%arg11 = %cst, %arg12 = %2#1, %arg13 = %6#0) -> (f32, i1, f32) {
        scf.yield %arg11, %2#0, %arg13 : f32, i1, f32
      }
      scf.yield %7#0, %7#1, %7#1 : f32, i1, i1
    }
    %c1_2 = arith.constant 1 : index
    %c-2147483647_i32 = arith.constant -2147483647 : i32
    %cst_3 = arith.constant -0.492865384 : f32
    %cst_4 = arith.constant -0.492865384 : f32
    %4:2 = scf.for %arg10 = %c0 to %0#0 step %c1_2 iter_args(%arg11 = %c-2147483647_i32, %arg12 = %cst_3) -> (i32, f32) {
      scf.yield %arg11, %arg12 : i32, f32
    }
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %5:2 = scf.for %arg10 = %c2 to %c6 step %c3 iter_args(%arg11 = %4#0, %arg12 = %3#2) -> (i32, i1) {
      %c-3 = arith.constant -3 : index
      %6 = arith.maxsi %arg4, %c-3 : index
      scf.yield %arg11, %2#2 : i32, i1
    }
    memref.store %cst, %arg5[%c0] : memref<4xf32>
    memref.store %3#0, %arg5[%c1_2] : memref<4xf32>
    %c2_5 = arith.constant 2 : index
    memref.store %cst_3, %arg5[%c2_5] : memref<4xf32>
    %c3_6 = arith.constant 3 : index
    memref.store %4#1, %arg5[%c3_6] : memref<4xf32>
    memref.store %2#0, %arg6[%c0] : memref<9xi1>
    memref.store %2#1, %arg6[%c1] : memref<9xi1>
    memref.store %2#2, %arg6[%c2_5] : memref<9xi1>
    memref.store %3#1, %arg6[%c3] : memref<9xi1>
    %c4 = arith.constant 4 : index
    memref.store %3#2, %arg6[%c4] : memref<9xi1>
    %c5 = arith.constant 5 : index
    memref.store %5#1, %arg6[%c5] : memref<9xi1>
    memref.store %arg0, %arg6[%c6] : memref<9xi1>
    %c7 = arith.constant 7 : index
    memref.store %true, %arg6[%c7] : memref<9xi1>
    %c8 = arith.constant 8 : index
    memref.store %0#1, %arg6[%c8] : memref<9xi1>
    memref.store %c-2147483647_i32, %arg7[%c0] : memref<3xi32>
    memref.store %4#0, %arg7[%c1] : memref<3xi32>
    memref.store %5#0, %arg7[%c2_5] : memref<3xi32>
    memref.store %c-5_i64, %arg8[%c0] : memref<3xi64>
    memref.store %1#1, %arg8[%c1_2] : memref<3xi64>
    memref.store %2#3, %arg8[%c2_5] : memref<3xi64>
    memref.store %c0, %arg9[%c0] : memref<8xindex>
    memref.store %c1, %arg9[%c1] : memref<8xindex>
    %c2_7 = arith.constant 2 : index
    memref.store %0#0, %arg9[%c2_7] : memref<8xindex>
    memref.store %c1_2, %arg9[%c3_6] : memref<8xindex>
    memref.store %c2, %arg9[%c4] : memref<8xindex>
    memref.store %c6, %arg9[%c5] : memref<8xindex>
    memref.store %arg4, %arg9[%c6] : memref<8xindex>
    %c7_8 = arith.constant 7 : index
    memref.store %c3, %arg9[%c7_8] : memref<8xindex>
    return
  }
}
