// {"kind": "blocks", "entry": "chunk248", "traits": ["blocks"], "arguments": [["a0", "i1", [0, 0], false], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk248(%arg0: i1, %arg1: memref<7xf32> {tilewright.output}, %arg2: memref<2xf64> {tilewright.output}, %arg3: memref<4xi1> {tilewright.output}, %arg4: memref<2xi16> {tilewright.output}, %arg5: memref<5xi32> {tilewright.output}, %arg6: memref<3xi64> {tilewright.output}, %arg7: memref<3xi8> {tilewright.output}, %arg8: memref<6xindex> {tilewright.output}) {
    %c129_i32 = arith.constant 129 : i32
    %c-2147483647_i32 = arith.constant -2147483647 : i32
    %c-257_i16 = arith.constant -257 : i16
    %c8_i8 = arith.constant 8 : i8
    %c1672927098_i32 = arith.constant 1672927098 : i32
    %c1672927098_i32_0 = arith.constant 1672927098 : i32
    cf.cond_br %arg0, ^bb1, ^bb2(%c-2147483647_i32, %c1672927098_i32, %c-257_i16, %c8_i8 : i32, i32, i16, i8)
  ^bb1:  // pred: ^bb0
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c1_i64 = arith.constant 1 : i64
    %0:2 = scf.for %arg9 = %c0 to %c3 step %c1 iter_args(%arg10 = %c8_i8, %arg11 = %c1_i64) -> (i8, i64) {
      scf.yield %arg10, %c1_i64 : i8, i64
    }
    cf.br ^bb2(%c129_i32, %c-2147483647_i32, %c-257_i16, %0#0 : i32, i32, i16, i8)
  ^bb2(%1: i32, %2: i32, %3: i16, %4: i8):  // 2 preds: ^bb0, ^bb1
    %c5 = arith.constant 5 : index
    %c-2 = arith.constant -2 : index
    %5 = arith.cmpi sge, %c5, %c-2 : index
    %c0_1 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    %c3_3 = arith.constant 3 : index
    cf.br ^bb3(%c0_1, %c8_i8 : index, i8)
  ^bb3(%6: index, %7: i8):  // 2 preds: ^bb2, ^bb4
    %8 = arith.cmpi slt, %6, %c3_3 : index
    cf.cond_br %8, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %9 = arith.muli %6, %c0_1 : index
    %cst = arith.constant 5.000000e-01 : f64
    %10 = math.absf %cst : f64
    %11 = math.absf %10 : f64
    %12 = arith.maxnumf %10, %11 : f64
    %13 = arith.addf %10, %12 : f64
    %14 = arith.addi %6, %c1_2 : index
    cf.br ^bb3(%14, %7 : index, i8)
  ^bb5:  // pred: ^bb3
    %cst_4 = arith.constant 1.250000e-01 : f32
    %c9_i64 = arith.constant 9 : i64
    cf.cond_br %arg0, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %15 = arith.maximumf %cst_4, %cst_4 : f32
    %c0_i64 = arith.constant 0 : i64
    %16 = arith.shrsi %c9_i64, %c0_i64 : i64
    %17 = arith.trunci %1 : i32 to i1
    cf.br ^bb8(%15, %c0_i64, %16 : f32, i64, i64)
  ^bb7:  // pred: ^bb5
    %cst_5 = arith.constant -0.000000e+00 : f32
    %c1463099940754901900_i64 = arith.constant 1463099940754901900 : i64
    cf.br ^bb8(%cst_5, %c9_i64, %c1463099940754901900_i64 : f32, i64, i64)
  ^bb8(%18: f32, %19: i64, %20: i64):  // 2 preds: ^bb6, ^bb7
    %cst_6 = arith.constant -3.750000e-01 : f32
    cf.cond_br %arg0, ^bb9, ^bb10
  ^bb9:  // pred: ^bb8
    cf.br ^bb11(%cst_6, %cst_6, %8 : f32, f32, i1)
  ^bb10:  // pred: ^bb8
    %c6 = arith.constant 6 : index
    %21 = arith.minsi %c6, %6 : index
    cf.br ^bb11(%cst_4, %18, %8 : f32, f32, i1)
  ^bb11(%22: f32, %23: f32, %24: i1):  // 2 preds: ^bb9, ^bb10
    %cst_7 = arith.constant 7.000000e+00 : f64
    cf.cond_br %8, ^bb12, ^bb13
  ^bb12:  // pred: ^bb11
    %cst_8 = arith.constant 0x7FF8000000000000 : f64
    cf.br ^bb14(%cst_8 : f64)
  ^bb13:  // pred: ^bb11
    %c1_i16 = arith.constant 1 : i16
    %25 = arith.shrsi %c1_i16, %c1_i16 : i16
    cf.br ^bb14(%cst_7 : f64)
  ^bb14(%26: f64):  // 2 preds: ^bb12, ^bb13
    %cst_9 = arith.constant 1.000000e+00 : f32
    %27 = math.floor %cst_9 : f32
    %c0_10 = arith.constant 0 : index
    memref.store %cst_4, %arg1[%c0_10] : memref<7xf32>
    %c1_11 = arith.constant 1 : index
    memref.store %18, %arg1[%c1_11] : memref<7xf32>
    %c2 = arith.constant 2 : index
    memref.store %cst_6, %arg1[%c2] : memref<7xf32>
    memref.store %22, %arg1[%c3_3] : memref<7xf32>
    %c4 = arith.constant 4 : index
    memref.store %23, %arg1[%c4] : memref<7xf32>
    memref.store %cst_9, %arg1[%c5] : memref<7xf32>
    %c6_12 = arith.constant 6 : index
    memref.store %27, %arg1[%c6_12] : memref<7xf32>
    %c0_13 = arith.constant 0 : index
    memref.store %cst_7, %arg2[%c0_13] : memref<2xf64>
    memref.store %26, %arg2[%c1_2] : memref<2xf64>
    memref.store %arg0, %arg3[%c0_1] : memref<4xi1>
    %c1_14 = arith.constant 1 : index
    memref.store %5, %arg3[%c1_14] : memref<4xi1>
    memref.store %8, %arg3[%c2] : memref<4xi1>
    memref.store %24, %arg3[%c3_3] : memref<4xi1>
    memref.store %c-257_i16, %arg4[%c0_1] : memref<2xi16>
    memref.store %3, %arg4[%c1_2] : memref<2xi16>
    memref.store %c129_i32, %arg5[%c0_1] : memref<5xi32>
    memref.store %c-2147483647_i32, %arg5[%c1_2] : memref<5xi32>
    %c2_15 = arith.constant 2 : index
    memref.store %c1672927098_i32, %arg5[%c2_15] : memref<5xi32>
    memref.store %1, %arg5[%c3_3] : memref<5xi32>
    memref.store %2, %arg5[%c4] : memref<5xi32>
    memref.store %c9_i64, %arg6[%c0_1] : memref<3xi64>
    %c1_16 = arith.constant 1 : index
    memref.store %19, %arg6[%c1_16] : memref<3xi64>
    %c2_17 = arith.constant 2 : index
    memref.store %20, %arg6[%c2_17] : memref<3xi64>
    memref.store %c8_i8, %arg7[%c0_13] : memref<3xi8>
    memref.store %4, %arg7[%c1_11] : memref<3xi8>
    memref.store %7, %arg7[%c2] : memref<3xi8>
    memref.store %c5, %arg8[%c0_10] : memref<6xindex>
    memref.store %c-2, %arg8[%c1_16] : memref<6xindex>
    memref.store %c0_1, %arg8[%c2_15] : memref<6xindex>
    memref.store %c1_2, %arg8[%c3_3] : memref<6xindex>
    %c4_18 = arith.constant 4 : index
    memref.store %c3_3, %arg8[%c4_18] : memref<6xindex>
    memref.store %6, %arg8[%c5] : memref<6xindex>
    return
  }
}
