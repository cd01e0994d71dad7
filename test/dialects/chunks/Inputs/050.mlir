// {"kind": "loops", "entry": "chunk50", "traits": [], "arguments": [["a0", ["memref", [4, 1, 3], "i16"], [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk50(%arg0: memref<4x1x3xi16>, %arg1: memref<1xf32> {tilewright.output}, %arg2: memref<1xi1> {tilewright.output}, %arg3: memref<4xi16> {tilewright.output}, %arg4: memref<5xi32> {tilewright.output}, %arg5: memref<3xi64> {tilewright.output}, %arg6: memref<3xi8> {tilewright.output}, %arg7: memref<4xindex> {tilewright.output}) {
    %c-2_i64 = arith.constant -2 : i64
    %c-4 = arith.constant -4 : index
    %0 = scf.index_switch %c-4 -> i64 
    case -4 {
      %c127_i8 = arith.constant 127 : i8
      %c7_i8 = arith.constant 7 : i8
      %9 = arith.andi %c127_i8, %c7_i8 : i8
      %10 = arith.shrui %c7_i8, %9 : i8
      %false = arith.constant false
      scf.if %false {
        %cst_4 = arith.constant 1.000000e+00 : f64
        %11 = arith.cmpf ord, %cst_4, %cst_4 : f64
        %cst_5 = arith.constant 1.000000e+00 : f64
        %12 = arith.select %11, %cst_4, %cst_5 : f64
        %13 = arith.select %11, %cst_4, %cst_5 : f64
        %cst_6 = arith.constant 0.000000e+00 : f64
        %14 = arith.maximumf %12, %cst_6 : f64
        %cst_7 = arith.constant 2.480000e+02 : f64
        %15 = arith.minimumf %14, %cst_7 : f64
        %16 = arith.fptoui %15 : f64 to i32
        %c1_8 = arith.constant 1 : index
        %c3_9 = arith.constant 3 : index
        %c5 = arith.constant 5 : index
        %c0_10 = arith.constant 0 : index
        %alloc = memref.alloc() : memref<4x1xf64>
        %c4_11 = arith.constant 4 : index
        scf.for %arg8 = %c0_10 to %c4_11 step %c1_8 {
          scf.for %arg9 = %c0_10 to %c1_8 step %c1_8 {
            memref.store %14, %alloc[%arg8, %arg9] : memref<4x1xf64>
          }
        }
        %17:2 = scf.parallel (%arg8, %arg9) = (%c1_8, %c0_10) to (%c5, %c0_10) step (%c3_9, %c1_8) init (%c127_i8, %11) -> (i8, i1) {
          %18 = arith.subi %arg8, %c1_8 : index
          %19 = arith.subi %arg9, %c0_10 : index
          %cst_12 = arith.constant 1.000000e+01 : f64
          memref.store %cst_12, %alloc[%18, %19] : memref<4x1xf64>
          scf.reduce(%c7_i8, %false : i8, i1) {
          ^bb0(%arg10: i8, %arg11: i8):
            %20 = arith.ori %arg10, %arg11 : i8
            scf.reduce.return %20 : i8
          }, {
          ^bb0(%arg10: i1, %arg11: i1):
            %20 = arith.xori %arg10, %arg11 : i1
            scf.reduce.return %20 : i1
          }
        }
      }
      scf.yield %c-2_i64 : i64
    }
    default {
      scf.yield %c-2_i64 : i64
    }
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c-4_i8 = arith.constant -4 : i8
    %c-127_i32 = arith.constant -127 : i32
    %1:2 = scf.for %arg8 = %c0 to %c1 step %c1 iter_args(%arg9 = %c-4_i8, %arg10 = %c-127_i32) -> (i8, i32) {
      %c5_i32 = arith.constant 5 : i32
      %9 = arith.remsi %arg10, %c5_i32 : i32
      %cst_4 = arith.constant 4.940660e-324 : f64
      %cst_5 = arith.constant 4.940660e-324 : f64
      %10 = arith.cmpf une, %cst_4, %cst_4 : f64
      %cst_6 = arith.constant -1.000000e+00 : f32
      %11 = arith.remf %cst_6, %cst_6 : f32
      %c-3 = arith.constant -3 : index
      %c3_7 = arith.constant 3 : index
      scf.for %arg11 = %c-3 to %arg8 step %c3_7 {
        %c9421_i16 = arith.constant 9421 : i16
        %13 = scf.for %arg12 = %arg8 to %c3_7 step %c1 iter_args(%arg13 = %c9421_i16) -> (i16) {
          %17 = arith.cmpf uno, %11, %cst_6 : f32
          %18 = arith.divf %cst_4, %cst_4 : f64
          scf.yield %c9421_i16 : i16
        }
        %14 = arith.negf %11 : f32
        %15 = arith.muli %10, %10 : i1
        %c-127_i8 = arith.constant -127 : i8
        %16:2 = scf.for %arg12 = %c-3 to %arg11 step %c1 iter_args(%arg13 = %arg9, %arg14 = %c-127_i8) -> (i8, i8) {
          %c5_i16 = arith.constant 5 : i16
          %c-4_i16 = arith.constant -4 : i16
          %c-4_i16_8 = arith.constant -4 : i16
          %17 = arith.divsi %c5_i16, %c-4_i16 : i16
          %18 = arith.minui %arg13, %arg9 : i8
          %19 = arith.minimumf %cst_4, %cst_4 : f64
          %cst_9 = arith.constant 2.500000e+00 : f32
          %20 = arith.subf %cst_9, %cst_6 : f32
          %21 = arith.addf %19, %19 : f64
          scf.yield %arg14, %18 : i8, i8
        }
      }
      %12 = math.absf %11 : f32
      scf.yield %arg9, %9 : i8, i32
    }
    %c3 = arith.constant 3 : index
    %2 = scf.for %arg8 = %c0 to %c3 step %c1 iter_args(%arg9 = %c-2_i64) -> (i64) {
      %cst_4 = arith.constant 7.000000e+00 : f64
      %9 = arith.addf %cst_4, %cst_4 : f64
      %10 = arith.andi %1#1, %1#1 : i32
      %true = arith.constant true
      %true_5 = arith.constant true
      %11 = scf.if %true -> (i8) {
        %c2_i8 = arith.constant 2 : i8
        scf.yield %c2_i8 : i8
      } else {
        scf.yield %c-4_i8 : i8
      }
      %12 = arith.minsi %c-2_i64, %arg9 : i64
      scf.yield %arg9 : i64
    }
    %3 = arith.extsi %1#0 : i8 to i32
    %c126_i8 = arith.constant 126 : i8
    %4 = arith.extsi %c126_i8 : i8 to i32
    %5 = arith.subi %3, %4 overflow<nsw> : i32
    %cst = arith.constant -3.750000e-01 : f32
    %6 = arith.cmpf ole, %cst, %cst : f32
    %c0_i16 = arith.constant 0 : i16
    %c7_i16 = arith.constant 7 : i16
    %7 = arith.andi %c0_i16, %c7_i16 : i16
    %8 = math.ipowi %c0_i16, %7 : i16
    %c0_0 = arith.constant 0 : index
    memref.store %cst, %arg1[%c0_0] : memref<1xf32>
    %c0_1 = arith.constant 0 : index
    memref.store %6, %arg2[%c0_1] : memref<1xi1>
    memref.store %c0_i16, %arg3[%c0_0] : memref<4xi16>
    memref.store %c7_i16, %arg3[%c1] : memref<4xi16>
    %c2 = arith.constant 2 : index
    memref.store %7, %arg3[%c2] : memref<4xi16>
    %c3_2 = arith.constant 3 : index
    memref.store %8, %arg3[%c3_2] : memref<4xi16>
    memref.store %c-127_i32, %arg4[%c0_1] : memref<5xi32>
    memref.store %1#1, %arg4[%c1] : memref<5xi32>
    memref.store %3, %arg4[%c2] : memref<5xi32>
    memref.store %4, %arg4[%c3] : memref<5xi32>
    %c4 = arith.constant 4 : index
    memref.store %5, %arg4[%c4] : memref<5xi32>
    memref.store %c-2_i64, %arg5[%c0_0] : memref<3xi64>
    memref.store %0, %arg5[%c1] : memref<3xi64>
    memref.store %2, %arg5[%c2] : memref<3xi64>
    memref.store %c-4_i8, %arg6[%c0_1] : memref<3xi8>
    memref.store %1#0, %arg6[%c1] : memref<3xi8>
    memref.store %c126_i8, %arg6[%c2] : memref<3xi8>
    memref.store %c-4, %arg7[%c0] : memref<4xindex>
    %c1_3 = arith.constant 1 : index
    memref.store %c0, %arg7[%c1_3] : memref<4xindex>
    memref.store %c1, %arg7[%c2] : memref<4xindex>
    memref.store %c3, %arg7[%c3] : memref<4xindex>
    return
  }
}
