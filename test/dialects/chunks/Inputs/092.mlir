// {"kind": "loops", "entry": "chunk92", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "f32", [0, 0], false], ["a2", "index", [0, 7], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i64", ["memref", [6], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out6", ["memref", [3], "i1"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i64", ["memref", [6], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out6", ["memref", [3], "i1"], [0, 0], true]]}
module {
  func.func @chunk92(%arg0: index, %arg1: f32, %arg2: index, %arg3: memref<2xf32> {tilewright.output}, %arg4: memref<1xi1> {tilewright.output}, %arg5: memref<7xi32> {tilewright.output}, %arg6: memref<6xi64> {tilewright.output}, %arg7: memref<2xi8> {tilewright.output}, %arg8: memref<5xindex> {tilewright.output}, %arg9: memref<3xi1> {tilewright.output}) {
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    scf.for %arg10 = %c0_i32 to %c3_i32 step %c1_i32  : i32 {
      %c0_7 = arith.constant 0 : index
      %c3_8 = arith.constant 3 : index
      %c14 = arith.constant 14 : index
      %11 = scf.for %arg11 = %c0_7 to %c14 step %c3_8 iter_args(%arg12 = %c3_i32) -> (i32) {
        %cst_11 = arith.constant 4.940660e-324 : f64
        %15 = arith.subf %cst_11, %cst_11 : f64
        %c-255_i16 = arith.constant -255 : i16
        %c-255_i16_12 = arith.constant -255 : i16
        %16 = arith.maxsi %c-255_i16, %c-255_i16 : i16
        %c1_13 = arith.constant 1 : index
        %c1_14 = arith.constant 1 : index
        %c5_15 = arith.constant 5 : index
        %c1_16 = arith.constant 1 : index
        %true = arith.constant true
        %alloc = memref.alloc() : memref<4x3xi8>
        %c5_i8 = arith.constant 5 : i8
        linalg.fill ins(%c5_i8 : i8) outs(%alloc : memref<4x3xi8>)
        %17:2 = scf.parallel (%arg13, %arg14) = (%c1_13, %c0_7) to (%c5_15, %c3_8) step (%c1_14, %c1_16) init (%c3_i32, %true) -> (i32, i1) {
          %c1_i32_19 = arith.constant 1 : i32
          %20 = arith.andi %arg10, %c1_i32_19 : i32
          %21 = arith.index_castui %20 : i32 to index
          %22 = arith.subi %arg13, %c1_13 : index
          %23 = arith.subi %arg14, %c0_7 : index
          memref.store %c5_i8, %alloc[%22, %23] : memref<4x3xi8>
          scf.reduce(%c3_i32, %true : i32, i1) {
          ^bb0(%arg15: i32, %arg16: i32):
            %24 = arith.andi %arg15, %arg16 : i32
            scf.reduce.return %24 : i32
          }, {
          ^bb0(%arg15: i1, %arg16: i1):
            %24 = arith.xori %arg15, %arg16 : i1
            scf.reduce.return %24 : i1
          }
        }
        %c0_17 = arith.constant 0 : index
        %c2_18 = arith.constant 2 : index
        %c8 = arith.constant 8 : index
        %18 = scf.for %arg13 = %c0_17 to %c8 step %c2_18 iter_args(%arg14 = %c3_i32) -> (i32) {
          %20 = math.absf %arg1 : f32
          %21 = math.absf %arg1 : f32
          %c63_i16 = arith.constant 63 : i16
          %22 = arith.andi %16, %c63_i16 : i16
          %c1_i16 = arith.constant 1 : i16
          %c1_i16_19 = arith.constant 1 : i16
          %23 = arith.ori %22, %c1_i16 : i16
          %24 = arith.remsi %c-255_i16, %23 : i16
          %25 = arith.subf %15, %15 : f64
          scf.yield %c1_i32 : i32
        }
        %c32767_i64 = arith.constant 32767 : i64
        %19 = scf.for %arg13 = %c0_17 to %c1_16 step %c1_14 iter_args(%arg14 = %c32767_i64) -> (i64) {
          %20 = arith.sitofp %arg10 : i32 to f64
          %c31_i32_19 = arith.constant 31 : i32
          %21 = arith.andi %17#0, %c31_i32_19 : i32
          %22 = arith.shrsi %18, %21 : i32
          %true_20 = arith.constant true
          %23 = arith.cmpi ult, %17#1, %true_20 : i1
          scf.yield %arg14 : i64
        }
        scf.yield %17#0 : i32
      }
      %c-6055009997166718810_i64 = arith.constant -6055009997166718810 : i64
      %c-7_i64 = arith.constant -7 : i64
      %12 = arith.remui %c-6055009997166718810_i64, %c-7_i64 : i64
      %c1_9 = arith.constant 1 : index
      scf.for %arg11 = %c0_7 to %c3_8 step %c1_9 {
        %cst_11 = arith.constant -0.000000e+00 : f64
        %15 = math.fma %cst_11, %cst_11, %cst_11 : f64
        %c1_12 = arith.constant 1 : index
        %c5_13 = arith.constant 5 : index
        scf.for %arg12 = %c1_9 to %c5_13 step %c1_12 {
        }
      }
      %cst = arith.constant -52.252081519718793 : f64
      %13 = arith.negf %cst : f64
      %false_10 = arith.constant false
      %14:3 = scf.if %false_10 -> (f32, f32, i1) {
        %15 = scf.if %false_10 -> (i1) {
          scf.yield %false_10 : i1
        } else {
          %17 = arith.extsi %11 : i32 to i64
          %c8_i8 = arith.constant 8 : i8
          %18 = arith.cmpi ugt, %c8_i8, %c8_i8 : i8
          scf.yield %18 : i1
        }
        %16 = scf.if %false_10 -> (f64) {
          %c5_i16 = arith.constant 5 : i16
          %c-2_i16 = arith.constant -2 : i16
          %17 = arith.ceildivsi %c5_i16, %c-2_i16 : i16
          %18 = arith.ceildivsi %c5_i16, %c-2_i16 : i16
          %c3_i16 = arith.constant 3 : i16
          %19 = arith.andi %c-2_i16, %c3_i16 : i16
          %c1_i16 = arith.constant 1 : i16
          %20 = arith.ori %19, %c1_i16 : i16
          %21 = arith.remui %17, %20 : i16
          scf.yield %cst : f64
        } else {
          %cst_11 = arith.constant 2.500000e+00 : f64
          %cst_12 = arith.constant -4.940660e-324 : f64
          %cst_13 = arith.constant -1.600000e+01 : f64
          %17 = math.fma %cst_11, %cst_12, %cst_13 : f64
          %18 = arith.select %15, %c1_i32, %arg10 : i32
          %19 = math.round %arg1 : f32
          scf.yield %cst_11 : f64
        }
        scf.yield %arg1, %arg1, %15 : f32, f32, i1
      } else {
        %15 = arith.select %false_10, %12, %c-7_i64 : i64
        %c3_11 = arith.constant 3 : index
        %c15 = arith.constant 15 : index
        %c69_i8 = arith.constant 69 : i8
        %c7_i16 = arith.constant 7 : i16
        %alloc = memref.alloc() : memref<14xi1>
        linalg.fill ins(%false_10 : i1) outs(%alloc : memref<14xi1>)
        %16:2 = scf.parallel (%arg11) = (%c1_9) to (%c15) step (%c3_11) init (%c69_i8, %c7_i16) -> (i8, i16) {
          %18 = arith.muli %c69_i8, %c69_i8 : i8
          %c-5_i16 = arith.constant -5 : i16
          %c7_i16_12 = arith.constant 7 : i16
          %19 = arith.andi %c7_i16, %c7_i16_12 : i16
          %c1_i16 = arith.constant 1 : i16
          %20 = arith.ori %19, %c1_i16 : i16
          %21 = arith.divui %c-5_i16, %20 : i16
          %cst_13 = arith.constant 7.000000e+00 : f32
          %22 = arith.divf %cst_13, %arg1 : f32
          %23 = arith.subi %arg11, %c1_9 : index
          %true = arith.constant true
          memref.store %true, %alloc[%23] : memref<14xi1>
          scf.reduce(%c69_i8, %21 : i8, i16) {
          ^bb0(%arg12: i8, %arg13: i8):
            %24 = arith.maxsi %arg12, %arg13 : i8
            scf.reduce.return %24 : i8
          }, {
          ^bb0(%arg12: i16, %arg13: i16):
            %24 = arith.maxsi %arg12, %arg13 : i16
            scf.reduce.return %24 : i16
          }
        }
        %17:2 = scf.if %false_10 -> (i1, f64) {
          %18 = math.floor %13 : f64
          %c-3_i8 = arith.constant -3 : i8
          %19 = arith.andi %16#0, %c-3_i8 : i8
          scf.yield %false_10, %18 : i1, f64
        } else {
          %c63_i64 = arith.constant 63 : i64
          %18 = arith.andi %12, %c63_i64 : i64
          %c596043247279083645_i64 = arith.constant 596043247279083645 : i64
          %19 = arith.shli %c596043247279083645_i64, %18 : i64
          %false_12 = arith.constant false
          scf.yield %false_12, %cst : i1, f64
        }
        scf.yield %arg1, %arg1, %17#0 : f32, f32, i1
      }
    }
    %0 = math.floor %arg1 : f32
    %1 = math.floor %arg1 : f32
    %c31_i32 = arith.constant 31 : i32
    %2 = arith.andi %c3_i32, %c31_i32 : i32
    %3 = arith.shli %2, %2 : i32
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %4 = arith.andi %c2147483647_i32, %2 : i32
    %c255_i32 = arith.constant 255 : i32
    %c7_i32 = arith.constant 7 : i32
    %5 = arith.andi %c255_i32, %c7_i32 : i32
    %6 = math.ipowi %5, %5 : i32
    %c128_i64 = arith.constant 128 : i64
    %c7_i64 = arith.constant 7 : i64
    %7 = arith.andi %c128_i64, %c7_i64 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1_i64_0 = arith.constant 1 : i64
    %8 = arith.ori %7, %c1_i64 : i64
    %9 = arith.remui %c128_i64, %8 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c3_1 = arith.constant 3 : index
    %alloca = memref.alloca() : memref<3xi1>
    %false = arith.constant false
    linalg.fill ins(%false : i1) outs(%alloca : memref<3xi1>)
    scf.parallel (%arg10) = (%c0) to (%c3) step (%c2) {
      %11 = arith.subi %arg10, %c0 : index
      memref.store %false, %alloca[%11] : memref<3xi1>
      scf.reduce 
    }
    %c-1_i8 = arith.constant -1 : i8
    %10 = arith.minui %c-1_i8, %c-1_i8 : i8
    %c0_2 = arith.constant 0 : index
    memref.store %arg1, %arg3[%c0_2] : memref<2xf32>
    %c1 = arith.constant 1 : index
    memref.store %0, %arg3[%c1] : memref<2xf32>
    memref.store %false, %arg4[%c0_2] : memref<1xi1>
    memref.store %c2147483647_i32, %arg5[%c0] : memref<7xi32>
    %c1_3 = arith.constant 1 : index
    memref.store %4, %arg5[%c1_3] : memref<7xi32>
    memref.store %c255_i32, %arg5[%c2] : memref<7xi32>
    memref.store %c7_i32, %arg5[%c3] : memref<7xi32>
    %c4 = arith.constant 4 : index
    memref.store %5, %arg5[%c4] : memref<7xi32>
    %c5 = arith.constant 5 : index
    memref.store %6, %arg5[%c5] : memref<7xi32>
    %c6 = arith.constant 6 : index
    memref.store %c0_i32, %arg5[%c6] : memref<7xi32>
    memref.store %c128_i64, %arg6[%c0] : memref<6xi64>
    memref.store %c7_i64, %arg6[%c1_3] : memref<6xi64>
    memref.store %7, %arg6[%c2] : memref<6xi64>
    %c3_4 = arith.constant 3 : index
    memref.store %c1_i64, %arg6[%c3_4] : memref<6xi64>
    memref.store %8, %arg6[%c4] : memref<6xi64>
    %c5_5 = arith.constant 5 : index
    memref.store %9, %arg6[%c5_5] : memref<6xi64>
    %c0_6 = arith.constant 0 : index
    memref.store %c-1_i8, %arg7[%c0_6] : memref<2xi8>
    memref.store %10, %arg7[%c1_3] : memref<2xi8>
    memref.store %arg0, %arg8[%c0_6] : memref<5xindex>
    memref.store %arg2, %arg8[%c1] : memref<5xindex>
    memref.store %c0, %arg8[%c2] : memref<5xindex>
    memref.store %c2, %arg8[%c3] : memref<5xindex>
    memref.store %c3, %arg8[%c4] : memref<5xindex>
    memref.copy %alloca, %arg9 : memref<3xi1> to memref<3xi1>
    return
  }
}
