// {"kind": "carried", "entry": "chunk263", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk263(%arg0: index, %arg1: memref<1xi1> {tilewright.output}, %arg2: memref<2xi32> {tilewright.output}, %arg3: memref<2xi64> {tilewright.output}, %arg4: memref<7xindex> {tilewright.output}) {
    %c8 = arith.constant 8 : index
    %0 = arith.divui %arg0, %c8 : index
    %c0_i64 = arith.constant 0 : i64
    %c128_i32 = arith.constant 128 : i32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1:3 = scf.while (%arg5 = %c0, %arg6 = %c0_i64, %arg7 = %c128_i32) : (index, i64, i32) -> (index, i64, i32) {
      %2 = arith.cmpi slt, %arg5, %c2 : index
      %false_2 = arith.constant false
      %cst = arith.constant 0.000000e+00 : f32
      %3:4 = scf.if %false_2 -> (i64, f32, i1, i1) {
        %6:4 = scf.while (%arg8 = %c0, %arg9 = %cst, %arg10 = %arg6, %arg11 = %c128_i32) : (index, f32, i64, i32) -> (index, f32, i64, i32) {
          %8 = arith.cmpi slt, %arg8, %c0 : index
          scf.condition(%8) %arg8, %arg9, %arg10, %arg11 : index, f32, i64, i32
        } do {
        ^bb0(%arg8: index, %arg9: f32, %arg10: i64, %arg11: i32):
          %8 = arith.cmpi sle, %arg5, %arg5 : index
          %9 = arith.cmpi sge, %arg7, %arg11 : i32
          %10 = arith.addi %arg8, %c1 : index
          scf.yield %10, %arg9, %arg10, %arg7 : index, f32, i64, i32
        }
        %7:4 = scf.if %2 -> (i32, f32, i32, f32) {
          %cst_4 = arith.constant -3.750000e-01 : f32
          scf.yield %6#3, %cst_4, %c128_i32, %cst_4 : i32, f32, i32, f32
        } else {
          scf.yield %arg7, %cst, %c128_i32, %6#1 : i32, f32, i32, f32
        }
        scf.yield %6#2, %6#1, %false_2, %false_2 : i64, f32, i1, i1
      } else {
        %c6_4 = arith.constant 6 : index
        %6 = arith.index_castui %c6_4 : index to i32
        %7 = scf.for %arg8 = %c0 to %arg5 step %c1 iter_args(%arg9 = %c0_i64) -> (i64) {
          %9 = arith.cmpi eq, %arg5, %c1 : index
          scf.yield %arg9 : i64
        }
        %c2_i32 = arith.constant 2 : i32
        %c5_i32 = arith.constant 5 : i32
        %c1_i32 = arith.constant 1 : i32
        %8:3 = scf.for %arg8 = %c2_i32 to %c5_i32 step %c1_i32 iter_args(%arg9 = %false_2, %arg10 = %7, %arg11 = %6) -> (i1, i64, i32)  : i32 {
          %9 = arith.extsi %c1_i32 : i32 to i64
          %10 = arith.extsi %arg8 : i32 to i64
          %11 = arith.addi %9, %10 overflow<nsw> : i64
          %12 = arith.minsi %c8, %0 : index
          %c63_i32 = arith.constant 63 : i32
          %13 = arith.andi %c2_i32, %c63_i32 : i32
          %14 = arith.index_castui %13 : i32 to index
          %15 = arith.extui %13 : i32 to i64
          %16 = arith.select %arg9, %cst, %cst : f32
          %true = arith.constant true
          scf.yield %true, %15, %arg11 : i1, i64, i32
        }
        scf.yield %8#1, %cst, %false_2, %8#0 : i64, f32, i1, i1
      }
      %c3_3 = arith.constant 3 : index
      %4 = scf.for %arg8 = %c0 to %arg5 step %c3_3 iter_args(%arg9 = %3#0) -> (i64) {
        %6 = arith.select %2, %arg9, %c0_i64 : i64
        %7 = scf.for %arg10 = %c1 to %c3_3 step %c1 iter_args(%arg11 = %cst) -> (f32) {
          %c31_i32 = arith.constant 31 : i32
          %8 = arith.shrui %c31_i32, %c31_i32 : i32
          %9 = arith.ceildivui %arg10, %c3_3 : index
          %c31_i32_4 = arith.constant 31 : i32
          %10 = arith.andi %arg7, %c31_i32_4 : i32
          %11 = arith.shrsi %10, %10 : i32
          %12 = arith.addi %arg0, %arg8 : index
          scf.yield %3#1 : f32
        }
        scf.yield %arg9 : i64
      }
      %5 = arith.andi %2, %3#2 : i1
      scf.condition(%5) %arg5, %arg6, %arg7 : index, i64, i32
    } do {
    ^bb0(%arg5: index, %arg6: i64, %arg7: i32):
      %c-3 = arith.constant -3 : index
      scf.for %arg8 = %c-3 to %c-3 step %c1 {
        %c0_2 = arith.constant 0 : index
        %c0_3 = arith.constant 0 : index
        scf.for %arg9 = %c0_2 to %c2 step %c1 {
          %3 = arith.xori %c128_i32, %arg7 : i32
          %4 = arith.maxsi %c2, %arg9 : index
          %5 = arith.minsi %arg7, %arg7 : i32
          %c6_4 = arith.constant 6 : index
          %6 = arith.cmpi slt, %c6_4, %arg0 : index
        }
      }
      %2 = arith.addi %arg5, %c1 : index
      scf.yield %2, %arg6, %arg7 : index, i64, i32
    }
    %false = arith.constant false
    scf.if %false {
      %cst = arith.constant 1.17549421E-38 : f32
      %2:2 = scf.if %false -> (f32, i32) {
        scf.yield %cst, %c128_i32 : f32, i32
      } else {
        %true = arith.constant true
        %5:2 = scf.if %true -> (i32, i1) {
          %false_6 = arith.constant false
          %8 = arith.minui %false_6, %true : i1
          %c31_i32 = arith.constant 31 : i32
          %9 = arith.andi %c128_i32, %c31_i32 : i32
          %10 = arith.shrui %c128_i32, %9 : i32
          %false_7 = arith.constant false
          scf.yield %10, %false_7 : i32, i1
        } else {
          %c128_i32_6 = arith.constant 128 : i32
          %8 = arith.subi %c128_i32_6, %c128_i32 : i32
          %false_7 = arith.constant false
          scf.yield %8, %false_7 : i32, i1
        }
        %c0_2 = arith.constant 0 : index
        %c0_3 = arith.constant 0 : index
        %6:2 = scf.while (%arg5 = %c0_2, %arg6 = %cst) : (index, f32) -> (index, f32) {
          %8 = arith.cmpi slt, %arg5, %c2 : index
          %9 = math.absi %1#1 : i64
          %c16_i32 = arith.constant 16 : i32
          %10 = arith.shli %c16_i32, %c16_i32 : i32
          %11 = arith.andi %8, %8 : i1
          scf.condition(%11) %arg5, %arg6 : index, f32
        } do {
        ^bb0(%arg5: index, %arg6: f32):
          %8 = arith.addi %arg5, %c1 : index
          scf.yield %8, %arg6 : index, f32
        }
        %c1_4 = arith.constant 1 : index
        %c1_5 = arith.constant 1 : index
        %c-1867071789_i32 = arith.constant -1867071789 : i32
        %7 = scf.for %arg5 = %c1_4 to %c1_4 step %c1_5 iter_args(%arg6 = %c-1867071789_i32) -> (i32) {
          scf.yield %arg6 : i32
        }
        scf.yield %6#1, %c-1867071789_i32 : f32, i32
      }
      %3 = arith.minui %1#1, %1#1 : i64
      %4:5 = scf.while (%arg5 = %c0, %arg6 = %false, %arg7 = %false, %arg8 = %false, %arg9 = %1#2) : (index, i1, i1, i1, i32) -> (index, i1, i1, i1, i32) {
        %5 = arith.cmpi slt, %arg5, %c1 : index
        %c3_i32 = arith.constant 3 : i32
        %6 = arith.xori %1#2, %c3_i32 : i32
        %7:2 = scf.if %arg6 -> (i32, i32) {
          scf.yield %6, %c3_i32 : i32, i32
        } else {
          %c31_i32 = arith.constant 31 : i32
          %9 = arith.andi %1#2, %c31_i32 : i32
          %10 = arith.shrui %c3_i32, %9 : i32
          scf.yield %c31_i32, %c31_i32 : i32, i32
        }
        %8 = arith.andi %5, %arg7 : i1
        scf.condition(%8) %arg5, %arg6, %arg7, %arg8, %arg9 : index, i1, i1, i1, i32
      } do {
      ^bb0(%arg5: index, %arg6: i1, %arg7: i1, %arg8: i1, %arg9: i32):
        %c3_2 = arith.constant 3 : index
        %c10 = arith.constant 10 : index
        %5:3 = scf.for %arg10 = %c0 to %c10 step %c3_2 iter_args(%arg11 = %cst, %arg12 = %2#1, %arg13 = %c128_i32) -> (f32, i32, i32) {
          %9 = arith.maxsi %2#1, %arg13 : i32
          %10 = arith.cmpi ule, %arg0, %arg0 : index
          %11 = arith.xori %false, %arg7 : i1
          %c7 = arith.constant 7 : index
          %12 = arith.cmpi ne, %0, %c7 : index
          %13 = arith.ori %2#1, %arg9 : i32
          %cst_3 = arith.constant 5.000000e-01 : f32
          scf.yield %cst_3, %9, %arg13 : f32, i32, i32
        }
        %true = arith.constant true
        %6:2 = scf.if %true -> (f32, i1) {
          scf.yield %5#0, %arg7 : f32, i1
        } else {
          %true_3 = arith.constant true
          scf.yield %cst, %true_3 : f32, i1
        }
        %7 = scf.for %arg10 = %c0 to %c2 step %c1 iter_args(%arg11 = %2#1) -> (i32) {
          %9 = arith.extsi %arg7 : i1 to i32
          %10 = arith.andi %3, %c0_i64 : i64
          %c255_i32 = arith.constant 255 : i32
          %c-128_i32 = arith.constant -128 : i32
          %11 = arith.divsi %c255_i32, %c-128_i32 : i32
          scf.yield %arg11 : i32
        }
        %8 = arith.addi %arg5, %c1 : index
        scf.yield %8, %true, %arg8, %6#1, %5#2 : index, i1, i1, i1, i32
      }
    }
    memref.store %false, %arg1[%c0] : memref<1xi1>
    memref.store %c128_i32, %arg2[%c0] : memref<2xi32>
    memref.store %1#2, %arg2[%c1] : memref<2xi32>
    memref.store %c0_i64, %arg3[%c0] : memref<2xi64>
    %c1_0 = arith.constant 1 : index
    memref.store %1#1, %arg3[%c1_0] : memref<2xi64>
    %c0_1 = arith.constant 0 : index
    memref.store %arg0, %arg4[%c0_1] : memref<7xindex>
    memref.store %c8, %arg4[%c1] : memref<7xindex>
    memref.store %0, %arg4[%c2] : memref<7xindex>
    %c3 = arith.constant 3 : index
    memref.store %c2, %arg4[%c3] : memref<7xindex>
    %c4 = arith.constant 4 : index
    memref.store %c0, %arg4[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %c1, %arg4[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %1#0, %arg4[%c6] : memref<7xindex>
    return
  }
}
