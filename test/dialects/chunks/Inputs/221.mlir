// {"kind": "carried", "entry": "chunk221", "traits": [], "arguments": [["a0", ["memref", [2, 2], "i64"], [0, 0], false], ["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [8], "i64"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [8], "i64"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk221(%arg0: memref<2x2xi64>, %arg1: memref<6xf32> {tilewright.output}, %arg2: memref<6xi1> {tilewright.output}, %arg3: memref<2xi32> {tilewright.output}, %arg4: memref<8xi64> {tilewright.output}, %arg5: memref<5xindex> {tilewright.output}) {
    %true = arith.constant true
    %c7_i64 = arith.constant 7 : i64
    %0:2 = scf.if %true -> (i64, i64) {
      %c2147483647_i64 = arith.constant 2147483647 : i64
      scf.yield %c7_i64, %c2147483647_i64 : i64, i64
    } else {
      %c1_9 = arith.constant 1 : index
      %c3_10 = arith.constant 3 : index
      %c-2147483648_i32 = arith.constant -2147483648 : i32
      %c-2147483648_i32_11 = arith.constant -2147483648 : i32
      %cst_12 = arith.constant -1.000000e+00 : f32
      %6:2 = scf.for %arg6 = %c1_9 to %c3_10 step %c1_9 iter_args(%arg7 = %c-2147483648_i32, %arg8 = %cst_12) -> (i32, f32) {
        %c129_i32 = arith.constant 129 : i32
        %7 = arith.select %true, %arg7, %c129_i32 : i32
        scf.yield %7, %arg8 : i32, f32
      }
      %c-3 = arith.constant -3 : index
      %c-2 = arith.constant -2 : index
      scf.for %arg6 = %c-3 to %c-2 step %c1_9 {
        %c1_13 = arith.constant 1 : index
        %c6_14 = arith.constant 6 : index
        %7 = scf.for %arg7 = %c1_13 to %c6_14 step %c3_10 iter_args(%arg8 = %true) -> (i1) {
          %11 = arith.cmpi ult, %c7_i64, %c7_i64 : i64
          %12 = math.absi %c7_i64 : i64
          scf.yield %11 : i1
        }
        %c2_15 = arith.constant 2 : index
        %c11 = arith.constant 11 : index
        %8:3 = scf.for %arg7 = %c1_9 to %c11 step %c2_15 iter_args(%arg8 = %true, %arg9 = %c7_i64, %arg10 = %c7_i64) -> (i1, i64, i64) {
          %c63_i32 = arith.constant 63 : i32
          %11 = arith.andi %c-2147483648_i32, %c63_i32 : i32
          %12 = arith.index_castui %11 : i32 to index
          %c-2147483649_i64 = arith.constant -2147483649 : i64
          %13 = arith.addi %arg10, %c-2147483649_i64 : i64
          %c7_i32 = arith.constant 7 : i32
          %c-32767_i32 = arith.constant -32767 : i32
          %14 = arith.andi %c-32767_i32, %c7_i32 : i32
          %15 = arith.andi %c-32767_i32, %c7_i32 : i32
          %c1_i32 = arith.constant 1 : i32
          %16 = arith.ori %14, %c1_i32 : i32
          %17 = arith.remui %c-2147483648_i32, %16 : i32
          %low, %high = arith.mulsi_extended %c-2147483649_i64, %c7_i64 : i64
          scf.yield %7, %arg9, %low : i1, i64, i64
        }
        %9 = arith.minsi %c-2147483648_i32, %c-2147483648_i32 : i32
        %sum, %overflow = arith.addui_extended %8#1, %8#1 : i64, i1
        %10 = scf.if %overflow -> (i1) {
          %11 = arith.maxsi %c6_14, %c1_9 : index
          %c31_i32 = arith.constant 31 : i32
          %12 = arith.andi %9, %c31_i32 : i32
          %13 = arith.shrsi %c-2147483648_i32, %12 : i32
          %14 = arith.andi %8#1, %c7_i64 : i64
          scf.yield %true : i1
        } else {
          scf.yield %true : i1
        }
      }
      scf.yield %c7_i64, %c7_i64 : i64, i64
    }
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %1 = scf.for %arg6 = %c0 to %c3 step %c1 iter_args(%arg7 = %true) -> (i1) {
      %c-2_i32 = arith.constant -2 : i32
      %c4_i32 = arith.constant 4 : i32
      %c2_i32 = arith.constant 2 : i32
      %cst_9 = arith.constant 1.000000e+01 : f32
      %6 = scf.for %arg8 = %c-2_i32 to %c4_i32 step %c2_i32 iter_args(%arg9 = %cst_9) -> (f32)  : i32 {
        %9 = scf.while (%arg10 = %c0) : (index) -> index {
          %11 = arith.cmpi slt, %arg10, %c1 : index
          scf.condition(%11) %arg10 : index
        } do {
        ^bb0(%arg10: index):
          %11 = arith.extsi %arg7 : i1 to i32
          %12 = arith.select %arg7, %0#1, %c7_i64 : i64
          %13 = arith.andi %arg6, %c1 : index
          %14 = arith.addi %arg10, %c1 : index
          scf.yield %14 : index
        }
        %c0_15 = arith.constant 0 : index
        %c0_16 = arith.constant 0 : index
        %c0_17 = arith.constant 0 : index
        %c1_18 = arith.constant 1 : index
        %10:2 = scf.while (%arg10 = %c0_17, %arg11 = %0#0) : (index, i64) -> (index, i64) {
          %11 = arith.cmpi slt, %arg10, %c0_15 : index
          %12 = arith.andi %11, %true : i1
          scf.condition(%12) %arg10, %arg11 : index, i64
        } do {
        ^bb0(%arg10: index, %arg11: i64):
          %11 = arith.select %arg7, %arg7, %true : i1
          %12 = arith.cmpi sgt, %c-2_i32, %c2_i32 : i32
          %false_19 = arith.constant false
          %13 = arith.select %false_19, %arg8, %c-2_i32 : i32
          %14 = arith.addi %arg10, %c1_18 : index
          %c-128_i64 = arith.constant -128 : i64
          scf.yield %14, %c-128_i64 : index, i64
        }
        scf.yield %arg9 : f32
      }
      %7:2 = scf.execute_region -> (i64, i32) {
        %c1_15 = arith.constant 1 : index
        %c2_16 = arith.constant 2 : index
        %9 = scf.for %arg8 = %c1_15 to %c1_15 step %c2_16 iter_args(%arg9 = %true) -> (i1) {
          %c-961260825_i32 = arith.constant -961260825 : i32
          %12 = arith.maxsi %c-2_i32, %c-961260825_i32 : i32
          %c1_i64_18 = arith.constant 1 : i64
          %c7_i64_19 = arith.constant 7 : i64
          %13 = arith.andi %c1_i64_18, %c7_i64_19 : i64
          %14 = arith.index_cast %13 : i64 to index
          %c-2794851453416708286_i64 = arith.constant -2794851453416708286 : i64
          %15 = arith.trunci %c-2794851453416708286_i64 : i64 to i32
          scf.yield %arg9 : i1
        }
        %10:3 = scf.if %true -> (i64, i1, f32) {
          %cst_18 = arith.constant -0.000000e+00 : f32
          scf.yield %0#0, %true, %cst_18 : i64, i1, f32
        } else {
          %12 = arith.cmpi eq, %9, %9 : i1
          %c63_i64 = arith.constant 63 : i64
          %13 = arith.andi %0#1, %c63_i64 : i64
          %c1_i64_18 = arith.constant 1 : i64
          %14 = arith.ori %13, %c1_i64_18 : i64
          %15 = arith.remui %0#1, %14 : i64
          %c2_i32_19 = arith.constant 2 : i32
          %c2_i32_20 = arith.constant 2 : i32
          %16 = arith.cmpi sgt, %c2_i32_19, %c2_i32_19 : i32
          %17 = arith.cmpi sgt, %c2_i32_19, %c2_i32_19 : i32
          scf.yield %15, %16, %cst_9 : i64, i1, f32
        }
        %c1_17 = arith.constant 1 : index
        %11:2 = scf.while (%arg8 = %c0, %arg9 = %c-2_i32) : (index, i32) -> (index, i32) {
          %12 = arith.cmpi slt, %arg8, %c3 : index
          scf.condition(%12) %arg8, %arg9 : index, i32
        } do {
        ^bb0(%arg8: index, %arg9: i32):
          %12 = arith.addi %arg8, %c1_17 : index
          scf.yield %12, %c2_i32 : index, i32
        }
        scf.yield %10#0, %11#1 : i64, i32
      }
      %c2_10 = arith.constant 2 : index
      %c2_11 = arith.constant 2 : index
      %c1_12 = arith.constant 1 : index
      %c2_13 = arith.constant 2 : index
      %true_14 = arith.constant true
      %8:4 = scf.for %arg8 = %c2_10 to %c2_13 step %c1_12 iter_args(%arg9 = %true, %arg10 = %cst_9, %arg11 = %true_14, %arg12 = %c4_i32) -> (i1, f32, i1, i32) {
        %c-2 = arith.constant -2 : index
        %9 = scf.index_switch %c-2 -> i32 
        case -2 {
          %c31_i32 = arith.constant 31 : i32
          %11 = arith.andi %c4_i32, %c31_i32 : i32
          %12 = arith.shrsi %c-2_i32, %11 : i32
          scf.yield %12 : i32
        }
        default {
          %11 = arith.muli %arg7, %true : i1
          scf.yield %c-2_i32 : i32
        }
        %c5_15 = arith.constant 5 : index
        %alloca = memref.alloca() : memref<3xi1>
        linalg.fill ins(%arg11 : i1) outs(%alloca : memref<3xi1>)
        %10:2 = scf.parallel (%arg13) = (%c2_13) to (%c5_15) step (%c2_13) init (%true, %0#1) -> (i1, i64) {
          %11 = arith.subi %arg13, %c2_13 : index
          memref.store %true_14, %alloca[%11] : memref<3xi1>
          scf.reduce(%true, %c7_i64 : i1, i64) {
          ^bb0(%arg14: i1, %arg15: i1):
            %12 = arith.muli %arg14, %arg15 : i1
            scf.reduce.return %12 : i1
          }, {
          ^bb0(%arg14: i64, %arg15: i64):
            %12 = arith.xori %arg14, %arg15 : i64
            scf.reduce.return %12 : i64
          }
        }
        scf.yield %10#0, %cst_9, %10#0, %arg12 : i1, f32, i1, i32
      }
      scf.yield %8#0 : i1
    }
    %c5 = arith.constant 5 : index
    %false = arith.constant false
    %2:3 = scf.for %arg6 = %c0 to %c5 step %c1 iter_args(%arg7 = %true, %arg8 = %0#0, %arg9 = %false) -> (i1, i64, i1) {
      %c0_9 = arith.constant 0 : index
      %c4_10 = arith.constant 4 : index
      %c6_11 = arith.constant 6 : index
      %alloca = memref.alloca() : memref<4x5xi32>
      %c-5_i32 = arith.constant -5 : i32
      linalg.fill ins(%c-5_i32 : i32) outs(%alloca : memref<4x5xi32>)
      %6:2 = scf.parallel (%arg10, %arg11) = (%c0_9, %c1) to (%c4_10, %c6_11) step (%c1, %c1) init (%false, %true) -> (i1, i1) {
        %9 = arith.subi %arg10, %c0_9 : index
        %10 = arith.subi %arg11, %c1 : index
        %11 = arith.subi %arg11, %c1 : index
        memref.store %c-5_i32, %alloca[%9, %10] : memref<4x5xi32>
        scf.reduce(%arg9, %arg7 : i1, i1) {
        ^bb0(%arg12: i1, %arg13: i1):
          %12 = arith.ori %arg12, %arg13 : i1
          scf.reduce.return %12 : i1
        }, {
        ^bb0(%arg12: i1, %arg13: i1):
          %12 = arith.andi %arg12, %arg13 : i1
          scf.reduce.return %12 : i1
        }
      }
      %false_12 = arith.constant false
      %7 = scf.index_switch %arg6 -> i1 
      case 4 {
        %c2_i32 = arith.constant 2 : i32
        %9 = arith.floordivsi %c-5_i32, %c2_i32 : i32
        %c11 = arith.constant 11 : index
        %cst_16 = arith.constant 1.000000e+01 : f32
        %true_17 = arith.constant true
        %10:2 = scf.for %arg10 = %c1 to %c11 step %c3 iter_args(%arg11 = %cst_16, %arg12 = %true_17) -> (f32, i1) {
          %c7_i64_18 = arith.constant 7 : i64
          %11 = arith.andi %0#1, %c7_i64_18 : i64
          %12 = arith.index_castui %11 : i64 to index
          %13 = arith.cmpi uge, %arg10, %arg6 : index
          %14 = arith.minsi %6#0, %6#1 : i1
          %15 = arith.select %14, %arg11, %arg11 : f32
          scf.yield %15, %arg12 : f32, i1
        }
        scf.yield %true_17 : i1
      }
      default {
        %9 = scf.if %false -> (i1) {
          %10 = arith.cmpi sge, %0#0, %0#1 : i64
          %c5_16 = arith.constant 5 : index
          %c-1 = arith.constant -1 : index
          %11 = arith.maxsi %c5_16, %c-1 : index
          %12 = arith.maxui %c-5_i32, %c-5_i32 : i32
          scf.yield %10 : i1
        } else {
          %c0_i64_16 = arith.constant 0 : i64
          %10 = arith.shli %0#1, %c0_i64_16 : i64
          %c2147483647_i64 = arith.constant 2147483647 : i64
          %11 = arith.maxui %c0_i64_16, %c2147483647_i64 : i64
          scf.yield %arg9 : i1
        }
        scf.yield %9 : i1
      }
      scf.if %6#0 {
      }
      %c0_13 = arith.constant 0 : index
      %c5_14 = arith.constant 5 : index
      %c32767_i32 = arith.constant 32767 : i32
      %8 = scf.for %arg10 = %c0_13 to %c5_14 step %c1 iter_args(%arg11 = %c32767_i32) -> (i32) {
        %c14 = arith.constant 14 : index
        %cst_16 = arith.constant 1.250000e-01 : f32
        %9:3 = scf.for %arg12 = %c1 to %c14 step %c3 iter_args(%arg13 = %0#0, %arg14 = %cst_16, %arg15 = %arg8) -> (i64, f32, i64) {
          %12 = arith.minui %0#1, %arg13 : i64
          %13 = arith.andi %arg7, %arg7 : i1
          %c-3_19 = arith.constant -3 : index
          %c8 = arith.constant 8 : index
          %14 = arith.subi %c-3_19, %c8 : index
          %c-1 = arith.constant -1 : index
          %15 = arith.index_castui %c-1 : index to i64
          scf.yield %12, %arg14, %12 : i64, f32, i64
        }
        %c-1_i32 = arith.constant -1 : i32
        %10 = arith.muli %c-1_i32, %arg11 : i32
        %c0_17 = arith.constant 0 : index
        %c-3 = arith.constant -3 : index
        %c2_18 = arith.constant 2 : index
        %alloc = memref.alloc() : memref<1x1xi32>
        linalg.fill ins(%c-5_i32 : i32) outs(%alloc : memref<1x1xi32>)
        %11 = scf.parallel (%arg12, %arg13) = (%c0_17, %c-3) to (%c1, %c-3) step (%c3, %c2_18) init (%7) -> i1 {
          %12 = arith.cmpi ule, %false_12, %7 : i1
          %13 = arith.cmpi eq, %c-1_i32, %c32767_i32 : i32
          %c-1_i64_19 = arith.constant -1 : i64
          %14 = arith.subi %arg8, %c-1_i64_19 : i64
          %15 = arith.subi %arg12, %c0_17 : index
          %16 = arith.subi %arg13, %c-3 : index
          memref.store %c-5_i32, %alloc[%15, %16] : memref<1x1xi32>
          scf.reduce(%6#1 : i1) {
          ^bb0(%arg14: i1, %arg15: i1):
            %17 = arith.xori %arg14, %arg15 : i1
            scf.reduce.return %17 : i1
          }
        }
        scf.yield %arg11 : i32
      }
      %true_15 = arith.constant true
      scf.yield %7, %arg8, %true_15 : i1, i64, i1
    }
    %c-1_i64 = arith.constant -1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant -66.4108505 : f32
    %c0_i32 = arith.constant 0 : i32
    %3:4 = scf.for %arg6 = %c-1_i64 to %c0_i64 step %c1_i64 iter_args(%arg7 = %cst, %arg8 = %c0_i32, %arg9 = %cst, %arg10 = %0#1) -> (f32, i32, f32, i64)  : i64 {
      %c1_i32 = arith.constant 1 : i32
      %6:3 = scf.while (%arg11 = %c0, %arg12 = %c1_i32, %arg13 = %c0_i32) : (index, i32, i32) -> (index, i32, i32) {
        %7 = arith.cmpi slt, %arg11, %c1 : index
        scf.condition(%7) %arg11, %arg12, %arg13 : index, i32, i32
      } do {
      ^bb0(%arg11: index, %arg12: i32, %arg13: i32):
        %c4_9 = arith.constant 4 : index
        %c1_10 = arith.constant 1 : index
        %7:2 = scf.while (%arg14 = %c0, %arg15 = %2#0) : (index, i1) -> (index, i1) {
          %10 = arith.cmpi slt, %arg14, %c4_9 : index
          %11 = arith.andi %10, %10 : i1
          scf.condition(%11) %arg14, %arg15 : index, i1
        } do {
        ^bb0(%arg14: index, %arg15: i1):
          %c63_i64 = arith.constant 63 : i64
          %10 = arith.andi %c1_i64, %c63_i64 : i64
          %11 = arith.shrsi %c0_i64, %10 : i64
          %c1_i32_11 = arith.constant 1 : i32
          %12 = arith.andi %arg12, %c1_i32_11 : i32
          %13 = arith.index_cast %12 : i32 to index
          %14 = arith.addi %arg14, %c1_10 : index
          scf.yield %14, %false : index, i1
        }
        %8:2 = scf.if %2#2 -> (i32, f32) {
          %10 = math.cttz %c1_i64 : i64
          %c3_i32 = arith.constant 3 : i32
          %11 = arith.andi %c1_i32, %c3_i32 : i32
          %c1_i32_11 = arith.constant 1 : i32
          %12 = arith.ori %11, %c1_i32_11 : i32
          %13 = arith.ceildivsi %arg13, %12 : i32
          %14 = arith.ceildivsi %arg13, %12 : i32
          scf.yield %c3_i32, %cst : i32, f32
        } else {
          %c5_i64 = arith.constant 5 : i64
          %10 = arith.remui %arg10, %c5_i64 : i64
          %11 = arith.minui %2#2, %2#0 : i1
          %cst_11 = arith.constant 41.7336121 : f32
          scf.yield %c0_i32, %cst_11 : i32, f32
        }
        %9 = arith.addi %arg11, %c1 : index
        scf.yield %9, %arg12, %8#0 : index, i32, i32
      }
      scf.yield %arg9, %6#1, %arg7, %arg6 : f32, i32, f32, i64
    }
    %c2 = arith.constant 2 : index
    %false_0 = arith.constant false
    %false_1 = arith.constant false
    %cst_2 = arith.constant -1.401300e-45 : f32
    %4:3 = scf.for %arg6 = %c0 to %c2 step %c2 iter_args(%arg7 = %cst, %arg8 = %false_0, %arg9 = %cst_2) -> (f32, i1, f32) {
      scf.yield %cst, %false, %arg9 : f32, i1, f32
    }
    %5:2 = scf.for %arg6 = %c0 to %c3 step %c1 iter_args(%arg7 = %true, %arg8 = %2#2) -> (i1, i1) {
      %6 = arith.ori %2#2, %false_0 : i1
      %7 = arith.ori %4#1, %true : i1
      scf.yield %arg7, %7 : i1, i1
    }
    memref.store %cst, %arg1[%c0] : memref<6xf32>
    memref.store %3#0, %arg1[%c1] : memref<6xf32>
    memref.store %3#2, %arg1[%c2] : memref<6xf32>
    memref.store %cst_2, %arg1[%c3] : memref<6xf32>
    %c4 = arith.constant 4 : index
    memref.store %4#0, %arg1[%c4] : memref<6xf32>
    memref.store %4#2, %arg1[%c5] : memref<6xf32>
    memref.store %2#0, %arg2[%c0] : memref<6xi1>
    memref.store %2#2, %arg2[%c1] : memref<6xi1>
    memref.store %false_0, %arg2[%c2] : memref<6xi1>
    %c3_3 = arith.constant 3 : index
    memref.store %4#1, %arg2[%c3_3] : memref<6xi1>
    memref.store %5#0, %arg2[%c4] : memref<6xi1>
    memref.store %5#1, %arg2[%c5] : memref<6xi1>
    %c0_4 = arith.constant 0 : index
    memref.store %c0_i32, %arg3[%c0_4] : memref<2xi32>
    %c1_5 = arith.constant 1 : index
    memref.store %3#1, %arg3[%c1_5] : memref<2xi32>
    memref.store %c7_i64, %arg4[%c0_4] : memref<8xi64>
    memref.store %0#0, %arg4[%c1_5] : memref<8xi64>
    memref.store %0#1, %arg4[%c2] : memref<8xi64>
    %c3_6 = arith.constant 3 : index
    memref.store %2#1, %arg4[%c3_6] : memref<8xi64>
    memref.store %c-1_i64, %arg4[%c4] : memref<8xi64>
    memref.store %c0_i64, %arg4[%c5] : memref<8xi64>
    %c6 = arith.constant 6 : index
    memref.store %c1_i64, %arg4[%c6] : memref<8xi64>
    %c7 = arith.constant 7 : index
    memref.store %3#3, %arg4[%c7] : memref<8xi64>
    memref.store %c0, %arg5[%c0_4] : memref<5xindex>
    %c1_7 = arith.constant 1 : index
    memref.store %c1, %arg5[%c1_7] : memref<5xindex>
    memref.store %c3, %arg5[%c2] : memref<5xindex>
    %c3_8 = arith.constant 3 : index
    memref.store %c5, %arg5[%c3_8] : memref<5xindex>
    memref.store %c2, %arg5[%c4] : memref<5xindex>
    return
  }
}
