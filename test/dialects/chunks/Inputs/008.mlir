// {"kind": "loops", "entry": "chunk8", "traits": [], "arguments": [["a0", ["memref", [], "i32"], [0, 0], false], ["a1", "i1", [0, 0], false], ["a2", "i32", [0, 0], false], ["a3", ["memref", [1, 4], "f32"], [0, 0], false], ["a4", "i8", [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk8(%arg0: memref<i32>, %arg1: i1, %arg2: i32, %arg3: memref<1x4xf32>, %arg4: i8, %arg5: memref<4xf32> {tilewright.output}, %arg6: memref<3xf64> {tilewright.output}, %arg7: memref<2xi1> {tilewright.output}, %arg8: memref<8xi32> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<6xindex> {tilewright.output}) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %cst = arith.constant -1.000000e+00 : f32
    %0:2 = scf.for %arg11 = %c2 to %c4 step %c1 iter_args(%arg12 = %cst, %arg13 = %cst) -> (f32, f32) {
      %c9_i16 = arith.constant 9 : i16
      %9:4 = scf.execute_region -> (i1, i1, i16, i16) {
        %cst_7 = arith.constant -0.0222738665 : f32
        %10 = arith.negf %cst_7 : f32
        %false = arith.constant false
        %c25658_i16 = arith.constant 25658 : i16
        %c25658_i16_8 = arith.constant 25658 : i16
        scf.yield %arg1, %false, %c25658_i16, %c25658_i16 : i1, i1, i16, i16
      }
      scf.yield %arg12, %arg13 : f32, f32
    }
    %c-4 = arith.constant -4 : index
    %c0 = arith.constant 0 : index
    %1 = scf.for %arg11 = %c0 to %c2 step %c1 iter_args(%arg12 = %arg1) -> (i1) {
      scf.yield %arg12 : i1
    }
    %c-1404108645_i32 = arith.constant -1404108645 : i32
    %low, %high = arith.mulsi_extended %arg2, %c-1404108645_i32 : i32
    %cst_0 = arith.constant -1.000000e+00 : f64
    %2 = arith.minimumf %cst_0, %cst_0 : f64
    %c63_i32 = arith.constant 63 : i32
    %3 = arith.andi %c-1404108645_i32, %c63_i32 : i32
    %4 = arith.index_castui %3 : i32 to index
    %5 = arith.index_castui %3 : i32 to index
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %6:2 = scf.for %arg11 = %c0 to %c10 step %c3 iter_args(%arg12 = %3, %arg13 = %0#1) -> (i32, f32) {
      %c3_7 = arith.constant 3 : index
      %c12 = arith.constant 12 : index
      scf.for %arg14 = %c2 to %c12 step %c3_7 {
        %c-3_9 = arith.constant -3 : index
        %c-1 = arith.constant -1 : index
        %15:3 = scf.for %arg15 = %c-3_9 to %c-1 step %c1 iter_args(%arg16 = %low, %arg17 = %cst_0, %arg18 = %high) -> (i32, f64, i32) {
          %c5465950552001524643_i64 = arith.constant 5465950552001524643 : i64
          %c5465950552001524643_i64_11 = arith.constant 5465950552001524643 : i64
          %c2147483647_i64 = arith.constant 2147483647 : i64
          %20 = arith.ceildivui %c5465950552001524643_i64, %c2147483647_i64 : i64
          %21 = arith.minsi %arg4, %arg4 : i8
          %22 = arith.divf %arg13, %cst : f32
          scf.yield %arg18, %arg17, %arg18 : i32, f64, i32
        }
        %c-127_i16 = arith.constant -127 : i16
        %16 = arith.extsi %c-127_i16 : i16 to i64
        %17 = arith.extsi %c-127_i16 : i16 to i64
        %18 = arith.muli %16, %17 overflow<nsw> : i64
        %cst_10 = arith.constant 1.000000e+00 : f32
        %19 = arith.divf %arg13, %cst_10 : f32
      }
      %9 = arith.minimumf %0#0, %cst : f32
      %10 = arith.minimumf %0#0, %cst : f32
      %c1_i32 = arith.constant 1 : i32
      %c1_i32_8 = arith.constant 1 : i32
      %11 = arith.shrsi %low, %c1_i32 : i32
      %12 = arith.extsi %c1_i32 : i32 to i64
      %13 = arith.extsi %c1_i32 : i32 to i64
      %14 = arith.addi %12, %13 overflow<nsw> : i64
      %alloca = memref.alloca() : memref<1x4xf32>
      linalg.fill ins(%0#0 : f32) outs(%alloca : memref<1x4xf32>)
      memref.copy %arg3, %alloca : memref<1x4xf32> to memref<1x4xf32>
      scf.yield %arg12, %0#0 : i32, f32
    }
    %7 = arith.divui %4, %c2 : index
    %c-3 = arith.constant -3 : index
    %c-2 = arith.constant -2 : index
    %8:3 = scf.for %arg11 = %c-3 to %c-2 step %c1 iter_args(%arg12 = %arg4, %arg13 = %cst_0, %arg14 = %c-1404108645_i32) -> (i8, f64, i32) {
      %c7_i64 = arith.constant 7 : i64
      %9 = arith.trunci %c7_i64 : i64 to i16
      scf.yield %arg4, %cst_0, %6#0 : i8, f64, i32
    }
    memref.store %cst, %arg5[%c0] : memref<4xf32>
    memref.store %0#0, %arg5[%c1] : memref<4xf32>
    memref.store %0#1, %arg5[%c2] : memref<4xf32>
    memref.store %6#1, %arg5[%c3] : memref<4xf32>
    memref.store %cst_0, %arg6[%c0] : memref<3xf64>
    %c1_1 = arith.constant 1 : index
    memref.store %2, %arg6[%c1_1] : memref<3xf64>
    memref.store %8#1, %arg6[%c2] : memref<3xf64>
    memref.store %arg1, %arg7[%c0] : memref<2xi1>
    memref.store %1, %arg7[%c1] : memref<2xi1>
    memref.store %arg2, %arg8[%c0] : memref<8xi32>
    %c1_2 = arith.constant 1 : index
    memref.store %c-1404108645_i32, %arg8[%c1_2] : memref<8xi32>
    memref.store %low, %arg8[%c2] : memref<8xi32>
    memref.store %high, %arg8[%c3] : memref<8xi32>
    memref.store %c63_i32, %arg8[%c4] : memref<8xi32>
    %c5 = arith.constant 5 : index
    memref.store %3, %arg8[%c5] : memref<8xi32>
    %c6 = arith.constant 6 : index
    memref.store %6#0, %arg8[%c6] : memref<8xi32>
    %c7 = arith.constant 7 : index
    memref.store %8#2, %arg8[%c7] : memref<8xi32>
    %c0_3 = arith.constant 0 : index
    memref.store %arg4, %arg9[%c0_3] : memref<2xi8>
    %c1_4 = arith.constant 1 : index
    memref.store %8#0, %arg9[%c1_4] : memref<2xi8>
    %c0_5 = arith.constant 0 : index
    %c0_6 = arith.constant 0 : index
    memref.store %4, %arg10[%c0_5] : memref<6xindex>
    memref.store %c3, %arg10[%c1] : memref<6xindex>
    memref.store %c10, %arg10[%c2] : memref<6xindex>
    memref.store %7, %arg10[%c3] : memref<6xindex>
    memref.store %c-3, %arg10[%c4] : memref<6xindex>
    memref.store %c-2, %arg10[%c5] : memref<6xindex>
    return
  }
}
