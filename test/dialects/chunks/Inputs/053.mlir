// {"kind": "carried", "entry": "chunk53", "traits": [], "arguments": [["a0", "i64", [0, 0], false], ["a1", ["memref", [2, 2, 3], "i64"], [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out5", ["memref", [12, 3], "f32"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out5", ["memref", [12, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk53(%arg0: i64, %arg1: memref<2x2x3xi64>, %arg2: memref<2xf32> {tilewright.output}, %arg3: memref<5xi1> {tilewright.output}, %arg4: memref<6xi32> {tilewright.output}, %arg5: memref<1xi64> {tilewright.output}, %arg6: memref<4xindex> {tilewright.output}, %arg7: memref<12x3xf32> {tilewright.output}) {
    %true = arith.constant true
    %c-1831079976_i32 = arith.constant -1831079976 : i32
    %cst = arith.constant 111.825714 : f32
    %0:2 = scf.if %true -> (i32, f32) {
      %c1_3 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %false_4 = arith.constant false
      %4 = scf.for %arg8 = %c1_3 to %c6 step %c1_3 iter_args(%arg9 = %false_4) -> (i1) {
        %c0_5 = arith.constant 0 : index
        %c0_6 = arith.constant 0 : index
        %7:5 = scf.while (%arg10 = %c0_6, %arg11 = %arg9, %arg12 = %true, %arg13 = %arg0, %arg14 = %arg9) : (index, i1, i1, i64, i1) -> (index, i1, i1, i64, i1) {
          %11 = arith.cmpi slt, %arg10, %c0_5 : index
          %c5_i32 = arith.constant 5 : i32
          %12 = arith.cmpi ugt, %c5_i32, %c-1831079976_i32 : i32
          %13 = arith.andi %11, %arg12 : i1
          scf.condition(%13) %arg10, %arg11, %arg12, %arg13, %arg14 : index, i1, i1, i64, i1
        } do {
        ^bb0(%arg10: index, %arg11: i1, %arg12: i1, %arg13: i64, %arg14: i1):
          %11 = arith.addi %c-1831079976_i32, %c-1831079976_i32 : i32
          %false_8 = arith.constant false
          %12 = arith.cmpi slt, %arg9, %false_8 : i1
          %13 = arith.cmpi slt, %arg9, %false_8 : i1
          %true_9 = arith.constant true
          %true_10 = arith.constant true
          %14 = arith.select %arg12, %true_9, %false_8 : i1
          %15 = arith.addi %arg10, %c1_3 : index
          scf.yield %15, %14, %12, %arg13, %12 : index, i1, i1, i64, i1
        }
        %c256_i32 = arith.constant 256 : i32
        %8:3 = scf.if %true -> (i32, i32, i32) {
          %11 = arith.addi %arg8, %arg8 : index
          scf.yield %c256_i32, %c-1831079976_i32, %c256_i32 : i32, i32, i32
        } else {
          %c63_i64 = arith.constant 63 : i64
          %11 = arith.andi %arg0, %c63_i64 : i64
          %12 = arith.shrui %arg0, %11 : i64
          %low, %high = arith.mului_extended %12, %arg0 : i64
          %c32769_i32 = arith.constant 32769 : i32
          scf.yield %c-1831079976_i32, %c32769_i32, %c32769_i32 : i32, i32, i32
        }
        %c255_i32 = arith.constant 255 : i32
        %c4_i64 = arith.constant 4 : i64
        %9:3 = scf.if %arg9 -> (i32, f32, i64) {
          %c6017108037696844653_i64 = arith.constant 6017108037696844653 : i64
          %11 = arith.xori %7#3, %c6017108037696844653_i64 : i64
          %c5_8 = arith.constant 5 : index
          %12 = arith.divsi %arg8, %c5_8 : index
          %low, %high = arith.mulsi_extended %8#1, %8#2 : i32
          scf.yield %low, %cst, %11 : i32, f32, i64
        } else {
          %11 = arith.xori %7#1, %7#1 : i1
          %12 = arith.xori %7#1, %7#1 : i1
          %c-1088636835_i32 = arith.constant -1088636835 : i32
          %cst_8 = arith.constant 0.000000e+00 : f32
          scf.yield %c-1088636835_i32, %cst_8, %arg0 : i32, f32, i64
        }
        %false_7 = arith.constant false
        %10:4 = scf.if %arg9 -> (f32, i1, i1, i64) {
          scf.yield %cst, %7#1, %arg9, %7#3 : f32, i1, i1, i64
        } else {
          %low, %high = arith.mului_extended %8#1, %c256_i32 : i32
          %11 = arith.extsi %c255_i32 : i32 to i64
          %c2_i32 = arith.constant 2 : i32
          %c2_i32_8 = arith.constant 2 : i32
          %12 = arith.extsi %c2_i32 : i32 to i64
          %13 = arith.addi %11, %12 overflow<nsw> : i64
          %c4_9 = arith.constant 4 : index
          %c4_10 = arith.constant 4 : index
          %14 = arith.subi %7#0, %c4_9 : index
          scf.yield %cst, %false_4, %7#4, %13 : f32, i1, i1, i64
        }
        scf.yield %7#4 : i1
      }
      %c-3_i64 = arith.constant -3 : i64
      %5:2 = scf.execute_region -> (f32, i64) {
        %c-4 = arith.constant -4 : index
        scf.index_switch %c-4 
        case -4 {
          scf.yield
        }
        default {
          %9 = math.cttz %arg0 : i64
          %c0_7 = arith.constant 0 : index
          %c0_8 = arith.constant 0 : index
          %10 = arith.cmpi ult, %c0_7, %c1_3 : index
        }
        %c3_5 = arith.constant 3 : index
        %c15 = arith.constant 15 : index
        %c-5662050874515321019_i64 = arith.constant -5662050874515321019 : i64
        %cst_6 = arith.constant -3.200000e+01 : f32
        %7:3 = scf.for %arg8 = %c1_3 to %c15 step %c3_5 iter_args(%arg9 = %cst, %arg10 = %c-5662050874515321019_i64, %arg11 = %cst_6) -> (f32, i64, f32) {
          %9 = arith.cmpi slt, %c-1831079976_i32, %c-1831079976_i32 : i32
          scf.yield %arg9, %arg10, %cst_6 : f32, i64, f32
        }
        %c-3599597692240778162_i64 = arith.constant -3599597692240778162 : i64
        %8:2 = scf.if %true -> (i64, i32) {
          %c3_i32 = arith.constant 3 : i32
          %9 = arith.andi %c3_i32, %c3_i32 : i32
          %c1_i32 = arith.constant 1 : i32
          %10 = arith.ori %9, %c1_i32 : i32
          %11 = arith.remsi %c-1831079976_i32, %10 : i32
          %12 = arith.extsi %false_4 : i1 to i64
          scf.yield %12, %11 : i64, i32
        } else {
          %9 = arith.addi %c-1831079976_i32, %c-1831079976_i32 : i32
          scf.yield %7#1, %9 : i64, i32
        }
        scf.yield %7#0, %8#0 : f32, i64
      }
      %c-3 = arith.constant -3 : index
      %c-1 = arith.constant -1 : index
      %6:2 = scf.for %arg8 = %c-3 to %c-1 step %c1_3 iter_args(%arg9 = %5#0, %arg10 = %5#1) -> (f32, i64) {
        %7 = arith.andi %c-3_i64, %5#1 : i64
        %8 = arith.ori %4, %false_4 : i1
        %9:3 = scf.if %false_4 -> (i64, i32, i32) {
          scf.yield %5#1, %c-1831079976_i32, %c-1831079976_i32 : i64, i32, i32
        } else {
          scf.yield %arg0, %c-1831079976_i32, %c-1831079976_i32 : i64, i32, i32
        }
        %10 = arith.cmpi eq, %9#1, %9#2 : i32
        %11 = arith.muli %false_4, %10 : i1
        scf.yield %5#0, %7 : f32, i64
      }
      %c-1832380990_i32 = arith.constant -1832380990 : i32
      scf.yield %c-1832380990_i32, %5#0 : i32, f32
    } else {
      scf.if %true {
      } else {
        %c5298130167586444559_i64 = arith.constant 5298130167586444559 : i64
        %5 = arith.subi %c5298130167586444559_i64, %c5298130167586444559_i64 : i64
        scf.if %true {
          %c7_i64 = arith.constant 7 : i64
          %7 = arith.maxui %c7_i64, %c5298130167586444559_i64 : i64
          %c6 = arith.constant 6 : index
          %c-4 = arith.constant -4 : index
          %8 = arith.minsi %c6, %c-4 : index
          %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
          %9 = arith.andi %c9223372036854775807_i64, %c7_i64 : i64
        } else {
          %c2_6 = arith.constant 2 : index
          %c-1 = arith.constant -1 : index
          %7 = arith.cmpi ne, %c2_6, %c-1 : index
        }
        %6:2 = scf.if %true -> (i32, i32) {
          scf.yield %c-1831079976_i32, %c-1831079976_i32 : i32, i32
        } else {
          %7 = arith.trunci %5 : i64 to i1
          scf.yield %c-1831079976_i32, %c-1831079976_i32 : i32, i32
        }
      }
      %c0_3 = arith.constant 0 : index
      %c1_4 = arith.constant 1 : index
      %c2_5 = arith.constant 2 : index
      %c6_i64 = arith.constant 6 : i64
      %4:2 = scf.for %arg8 = %c0_3 to %c2_5 step %c1_4 iter_args(%arg9 = %c6_i64, %arg10 = %c-1831079976_i32) -> (i64, i32) {
        %c4_i64 = arith.constant 4 : i64
        %5 = arith.cmpi ne, %arg0, %c4_i64 : i64
        %6:4 = scf.if %5 -> (i64, f32, f32, f32) {
          %9 = arith.subi %true, %5 : i1
          %10 = arith.remsi %arg8, %c1_4 : index
          scf.yield %c6_i64, %cst, %cst, %cst : i64, f32, f32, f32
        } else {
          %9 = arith.minsi %c4_i64, %arg9 : i64
          %10 = arith.maxsi %arg10, %arg10 : i32
          %11 = arith.trunci %9 : i64 to i32
          scf.yield %9, %cst, %cst, %cst : i64, f32, f32, f32
        }
        %false_6 = arith.constant false
        %false_7 = arith.constant false
        %7:2 = scf.while (%arg11 = %c0_3, %arg12 = %false_6) : (index, i1) -> (index, i1) {
          %9 = arith.cmpi slt, %arg11, %c0_3 : index
          scf.condition(%9) %arg11, %9 : index, i1
        } do {
        ^bb0(%arg11: index, %arg12: i1):
          %c7_i64 = arith.constant 7 : i64
          %9 = arith.andi %6#0, %c7_i64 : i64
          %c1_i64 = arith.constant 1 : i64
          %10 = arith.ori %9, %c1_i64 : i64
          %11 = arith.ceildivui %c6_i64, %10 : i64
          %12 = arith.addi %arg11, %c1_4 : index
          scf.yield %12, %arg12 : index, i1
        }
        %8 = scf.index_switch %c2_5 -> i32 
        case 2 {
          scf.yield %arg10 : i32
        }
        default {
          %9 = arith.index_cast %7#0 : index to i64
          %c8_i32 = arith.constant 8 : i32
          scf.yield %c8_i32 : i32
        }
        scf.yield %6#0, %arg10 : i64, i32
      }
      scf.yield %4#1, %cst : i32, f32
    }
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c12 = arith.constant 12 : index
    %c1 = arith.constant 1 : index
    %alloc = memref.alloc() : memref<12x3xf32>
    scf.for %arg8 = %c0 to %c12 step %c1 {
      scf.for %arg9 = %c0 to %c3 step %c1 {
        memref.store %cst, %alloc[%arg8, %arg9] : memref<12x3xf32>
      }
    }
    %1 = scf.parallel (%arg8, %arg9) = (%c0, %c0) to (%c12, %c3) step (%c3, %c1) init (%0#0) -> i32 {
      %c-2_i32 = arith.constant -2 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c1_i32 = arith.constant 1 : i32
      %4 = scf.for %arg10 = %c-2_i32 to %c-1_i32 step %c1_i32 iter_args(%arg11 = %c-2_i32) -> (i32)  : i32 {
        scf.yield %arg11 : i32
      }
      %c-2_i32_3 = arith.constant -2 : i32
      %c2_i32 = arith.constant 2 : i32
      %c2_i32_4 = arith.constant 2 : i32
      scf.for %arg10 = %c-2_i32_3 to %c2_i32 step %c2_i32_4  : i32 {
      }
      %c2_5 = arith.constant 2 : index
      %c6 = arith.constant 6 : index
      %5:3 = scf.for %arg10 = %c1 to %c6 step %c2_5 iter_args(%arg11 = %arg0, %arg12 = %0#1, %arg13 = %arg0) -> (i64, f32, i64) {
        %8:3 = scf.if %true -> (i1, i32, f32) {
          %9 = arith.minui %true, %true : i1
          %c1_i64 = arith.constant 1 : i64
          %10 = arith.shrsi %c1_i64, %c1_i64 : i64
          scf.yield %true, %c2_i32, %cst : i1, i32, f32
        } else {
          %9 = arith.minsi %arg11, %arg0 : i64
          %c0_i64 = arith.constant 0 : i64
          %c1_i64 = arith.constant 1 : i64
          %10 = arith.andi %c0_i64, %c1_i64 : i64
          %11 = arith.index_cast %10 : i64 to index
          %c-32768_i32 = arith.constant -32768 : i32
          scf.yield %true, %c-32768_i32, %0#1 : i1, i32, f32
        }
        %c5_6 = arith.constant 5 : index
        scf.for %arg14 = %c0 to %c5_6 step %c2_5 {
          %9 = arith.andi %arg11, %arg11 : i64
          %10 = arith.select %8#0, %4, %c-1831079976_i32 : i32
          %11 = arith.xori %c2_i32, %c2_i32 : i32
        }
        scf.yield %arg13, %8#2, %arg13 : i64, f32, i64
      }
      %6 = arith.subi %arg8, %c0 : index
      %7 = arith.subi %arg9, %c0 : index
      memref.store %5#1, %alloc[%6, %7] : memref<12x3xf32>
      scf.reduce(%0#0 : i32) {
      ^bb0(%arg10: i32, %arg11: i32):
        %8 = arith.muli %arg10, %arg11 : i32
        scf.reduce.return %8 : i32
      }
    }
    %false = arith.constant false
    %2:3 = scf.if %true -> (i1, i32, i32) {
      %c2_i32 = arith.constant 2 : i32
      %c6_i32 = arith.constant 6 : i32
      %c2_i32_3 = arith.constant 2 : i32
      %4 = scf.for %arg8 = %c2_i32 to %c6_i32 step %c2_i32_3 iter_args(%arg9 = %0#0) -> (i32)  : i32 {
        %c31_i32 = arith.constant 31 : i32
        %5 = arith.andi %arg8, %c31_i32 : i32
        %6 = arith.shrsi %c6_i32, %5 : i32
        %c2_4 = arith.constant 2 : index
        %c8 = arith.constant 8 : index
        %7:3 = scf.for %arg10 = %c2_4 to %c8 step %c3 iter_args(%arg11 = %0#1, %arg12 = %6, %arg13 = %0#1) -> (f32, i32, f32) {
          %cst_7 = arith.constant -4.63846302 : f32
          scf.yield %cst_7, %arg12, %cst_7 : f32, i32, f32
        }
        %c0_5 = arith.constant 0 : index
        %c1_6 = arith.constant 1 : index
        %8 = scf.for %arg10 = %c0_5 to %c3 step %c1_6 iter_args(%arg11 = %cst) -> (f32) {
          %11 = arith.subi %arg10, %arg10 : index
          %c0_i64 = arith.constant 0 : i64
          %c32768_i64 = arith.constant 32768 : i64
          %12 = arith.shli %c32768_i64, %c0_i64 : i64
          %c7_i64 = arith.constant 7 : i64
          %13 = arith.andi %c32768_i64, %c7_i64 : i64
          %14 = arith.index_castui %13 : i64 to index
          %15 = arith.cmpi sge, %c32768_i64, %c7_i64 : i64
          scf.yield %7#2 : f32
        }
        %9 = scf.for %arg10 = %c0_5 to %c3 step %c3 iter_args(%arg11 = %8) -> (f32) {
          scf.yield %8 : f32
        }
        %c-257_i64 = arith.constant -257 : i64
        %10 = arith.xori %c-257_i64, %arg0 : i64
        scf.yield %5 : i32
      }
      scf.yield %true, %c2_i32, %4 : i1, i32, i32
    } else {
      %c0_i64 = arith.constant 0 : i64
      %c4_i64 = arith.constant 4 : i64
      %c1_i64 = arith.constant 1 : i64
      %4:2 = scf.for %arg8 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg9 = %c1_i64, %arg10 = %c-1831079976_i32) -> (i64, i32)  : i64 {
        %c0_3 = arith.constant 0 : index
        %c5_4 = arith.constant 5 : index
        %c0_5 = arith.constant 0 : index
        %c2_6 = arith.constant 2 : index
        %alloc_7 = memref.alloc() : memref<5x2xi1>
        scf.for %arg11 = %c0_5 to %c5_4 step %c1 {
          scf.for %arg12 = %c0_5 to %c2_6 step %c1 {
            %false_11 = arith.constant false
            memref.store %false_11, %alloc_7[%arg11, %arg12] : memref<5x2xi1>
          }
        }
        scf.parallel (%arg11, %arg12) = (%c0_3, %c0_5) to (%c5_4, %c2_6) step (%c1, %c1) {
          %9 = arith.maxui %c-1831079976_i32, %1 : i32
          %10 = arith.trunci %1 : i32 to i1
          %11 = arith.minsi %c-1831079976_i32, %arg10 : i32
          %12 = arith.subi %arg11, %c0_3 : index
          %13 = arith.subi %arg12, %c0_5 : index
          %false_11 = arith.constant false
          memref.store %false_11, %alloc_7[%12, %13] : memref<5x2xi1>
          scf.reduce 
        }
        %c4_8 = arith.constant 4 : index
        %5 = scf.for %arg11 = %c0 to %c4_8 step %c1 iter_args(%arg12 = %c-1831079976_i32) -> (i32) {
          scf.yield %arg12 : i32
        }
        %c-2 = arith.constant -2 : index
        %c8 = arith.constant 8 : index
        %6 = arith.remsi %c-2, %c8 : index
        %c2_9 = arith.constant 2 : index
        %c1_10 = arith.constant 1 : index
        %7:3 = scf.while (%arg11 = %c0, %arg12 = %arg10, %arg13 = %c1_i64) : (index, i32, i64) -> (index, i32, i64) {
          %9 = arith.cmpi slt, %arg11, %c2_9 : index
          scf.condition(%9) %arg11, %arg12, %arg13 : index, i32, i64
        } do {
        ^bb0(%arg11: index, %arg12: i32, %arg13: i64):
          %c7 = arith.constant 7 : index
          %9 = arith.index_cast %c7 : index to i32
          %10 = arith.cmpi ule, %arg11, %c4_8 : index
          %11 = arith.addi %arg11, %c1_10 : index
          scf.yield %11, %9, %arg9 : index, i32, i64
        }
        %8:3 = scf.index_switch %6 -> f32, f32, i32 
        case -3 {
          %9 = arith.select %false, %true, %false : i1
          %10 = arith.addi %7#0, %6 : index
          scf.yield %0#1, %cst, %7#1 : f32, f32, i32
        }
        default {
          %c7_i32 = arith.constant 7 : i32
          %9 = arith.ceildivsi %arg10, %c7_i32 : i32
          scf.yield %0#1, %0#1, %c7_i32 : f32, f32, i32
        }
        scf.yield %arg8, %8#2 : i64, i32
      }
      scf.yield %true, %4#1, %1 : i1, i32, i32
    }
    %false_0 = arith.constant false
    %3:2 = scf.if %2#0 -> (i32, i1) {
      %c8 = arith.constant 8 : index
      %c8_3 = arith.constant 8 : index
      %c-2 = arith.constant -2 : index
      %4 = arith.muli %c8, %c-2 : index
      %c0_i32 = arith.constant 0 : i32
      %c4_i32 = arith.constant 4 : i32
      %c2_i32 = arith.constant 2 : i32
      %5 = scf.for %arg8 = %c0_i32 to %c4_i32 step %c2_i32 iter_args(%arg9 = %false) -> (i1)  : i32 {
        %7 = arith.cmpi sge, %c4_i32, %c-1831079976_i32 : i32
        scf.yield %7 : i1
      }
      %c-3 = arith.constant -3 : index
      %6:2 = scf.index_switch %c-3 -> f32, f32 
      case -3 {
        %c-1_i32 = arith.constant -1 : i32
        %c3_i32 = arith.constant 3 : i32
        %c3_i32_4 = arith.constant 3 : i32
        %c1_i32 = arith.constant 1 : i32
        %7 = scf.for %arg8 = %c-1_i32 to %c3_i32 step %c1_i32 iter_args(%arg9 = %cst) -> (f32)  : i32 {
          %9 = arith.andi %c1, %c3 : index
          %c1_i32_9 = arith.constant 1 : i32
          %10 = arith.andi %c3_i32, %c1_i32_9 : i32
          %11 = arith.index_castui %10 : i32 to index
          scf.yield %arg9 : f32
        }
        %false_5 = arith.constant false
        %true_6 = arith.constant true
        %true_7 = arith.constant true
        %8 = arith.select %false_5, %true_6, %true_7 : i1
        %cst_8 = arith.constant -0.000000e+00 : f32
        scf.yield %7, %cst_8 : f32, f32
      }
      default {
        %cst_4 = arith.constant 1.000000e+00 : f32
        scf.yield %cst, %cst_4 : f32, f32
      }
      scf.yield %c4_i32, %5 : i32, i1
    } else {
      %c2_3 = arith.constant 2 : index
      %c3_4 = arith.constant 3 : index
      %4:4 = scf.for %arg8 = %c1 to %c3_4 step %c2_3 iter_args(%arg9 = %arg0, %arg10 = %false_0, %arg11 = %cst, %arg12 = %cst) -> (i64, i1, f32, f32) {
        %c6 = arith.constant 6 : index
        %6 = scf.for %arg13 = %c1 to %c6 step %c1 iter_args(%arg14 = %false_0) -> (i1) {
          %c7_i64 = arith.constant 7 : i64
          %11 = arith.andi %arg0, %c7_i64 : i64
          %12 = arith.index_cast %11 : i64 to index
          %13 = arith.divsi %c2_3, %c1 : index
          %14 = arith.cmpi slt, %12, %12 : index
          %15 = arith.andi %arg8, %c3 : index
          scf.yield %14 : i1
        }
        %c4_8 = arith.constant 4 : index
        %alloc_9 = memref.alloc() : memref<3xi1>
        linalg.fill ins(%2#0 : i1) outs(%alloc_9 : memref<3xi1>)
        %7 = scf.parallel (%arg13) = (%c1) to (%c4_8) step (%c1) init (%1) -> i32 {
          %c-2147483649_i64 = arith.constant -2147483649 : i64
          %11 = arith.cmpi sle, %arg9, %c-2147483649_i64 : i64
          %12 = arith.subi %c1, %c2_3 : index
          %13 = arith.subi %arg13, %c1 : index
          memref.store %arg10, %alloc_9[%13] : memref<3xi1>
          %c5_i32 = arith.constant 5 : i32
          scf.reduce(%c5_i32 : i32) {
          ^bb0(%arg14: i32, %arg15: i32):
            %14 = arith.xori %arg14, %arg15 : i32
            scf.reduce.return %14 : i32
          }
        }
        %false_10 = arith.constant false
        %false_11 = arith.constant false
        %8:3 = scf.if %false_10 -> (i1, i1, i64) {
          scf.yield %2#0, %false_0, %arg9 : i1, i1, i64
        } else {
          %false_12 = arith.constant false
          %11 = arith.minui %false_12, %6 : i1
          %c256_i32 = arith.constant 256 : i32
          %12 = arith.maxui %c-1831079976_i32, %c256_i32 : i32
          %13 = arith.cmpi ule, %arg9, %arg0 : i64
          scf.yield %false_12, %false_12, %arg9 : i1, i1, i64
        }
        %9 = math.absi %c-1831079976_i32 : i32
        %10:2 = scf.if %arg10 -> (i1, f32) {
          %11 = arith.addi %arg8, %arg8 : index
          scf.yield %false_11, %arg12 : i1, f32
        } else {
          %11 = arith.trunci %arg0 : i64 to i1
          scf.yield %11, %arg11 : i1, f32
        }
        scf.yield %8#2, %false_11, %arg11, %10#1 : i64, i1, f32, f32
      }
      %c1_5 = arith.constant 1 : index
      %c-3 = arith.constant -3 : index
      %alloc_6 = memref.alloc() : memref<2x4xi32>
      linalg.fill ins(%0#0 : i32) outs(%alloc_6 : memref<2x4xi32>)
      %5:2 = scf.parallel (%arg8, %arg9) = (%c1_5, %c-3) to (%c3, %c1) step (%c1, %c1) init (%2#2, %arg0) -> (i32, i64) {
        %6 = arith.subi %arg8, %c1_5 : index
        %7 = arith.subi %arg9, %c-3 : index
        memref.store %0#0, %alloc_6[%6, %7] : memref<2x4xi32>
        %c-2_i32 = arith.constant -2 : i32
        scf.reduce(%c-2_i32, %arg0 : i32, i64) {
        ^bb0(%arg10: i32, %arg11: i32):
          %8 = arith.ori %arg10, %arg11 : i32
          scf.reduce.return %8 : i32
        }, {
        ^bb0(%arg10: i64, %arg11: i64):
          %8 = arith.addi %arg10, %arg11 : i64
          scf.reduce.return %8 : i64
        }
      }
      %true_7 = arith.constant true
      scf.yield %5#0, %true_7 : i32, i1
    }
    memref.store %cst, %arg2[%c0] : memref<2xf32>
    memref.store %0#1, %arg2[%c1] : memref<2xf32>
    %c0_1 = arith.constant 0 : index
    memref.store %true, %arg3[%c0_1] : memref<5xi1>
    memref.store %false, %arg3[%c1] : memref<5xi1>
    %c2 = arith.constant 2 : index
    memref.store %2#0, %arg3[%c2] : memref<5xi1>
    memref.store %false_0, %arg3[%c3] : memref<5xi1>
    %c4 = arith.constant 4 : index
    memref.store %3#1, %arg3[%c4] : memref<5xi1>
    memref.store %c-1831079976_i32, %arg4[%c0_1] : memref<6xi32>
    memref.store %0#0, %arg4[%c1] : memref<6xi32>
    memref.store %1, %arg4[%c2] : memref<6xi32>
    memref.store %2#1, %arg4[%c3] : memref<6xi32>
    memref.store %2#2, %arg4[%c4] : memref<6xi32>
    %c5 = arith.constant 5 : index
    memref.store %3#0, %arg4[%c5] : memref<6xi32>
    %c0_2 = arith.constant 0 : index
    memref.store %arg0, %arg5[%c0_2] : memref<1xi64>
    memref.store %c0, %arg6[%c0_1] : memref<4xindex>
    memref.store %c3, %arg6[%c1] : memref<4xindex>
    memref.store %c12, %arg6[%c2] : memref<4xindex>
    memref.store %c1, %arg6[%c3] : memref<4xindex>
    memref.copy %alloc, %arg7 : memref<12x3xf32> to memref<12x3xf32>
    return
  }
}
