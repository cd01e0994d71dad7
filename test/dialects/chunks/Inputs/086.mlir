// {"kind": "scalars", "entry": "chunk86", "traits": ["half"], "arguments": [["a0", ["memref", [4, 3], "i64"], [0, 0], false], ["out_bf16", ["memref", [6], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [6], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk86(%arg0: memref<4x3xi64>, %arg1: memref<6xbf16> {tilewright.output}, %arg2: memref<2xf16> {tilewright.output}, %arg3: memref<4xf32> {tilewright.output}, %arg4: memref<7xf64> {tilewright.output}, %arg5: memref<8xi1> {tilewright.output}, %arg6: memref<3xi16> {tilewright.output}, %arg7: memref<6xi32> {tilewright.output}, %arg8: memref<2xi64> {tilewright.output}, %arg9: memref<1xi8> {tilewright.output}, %arg10: memref<5xindex> {tilewright.output}) {
    %c-255_i32 = arith.constant -255 : i32
    %0 = arith.trunci %c-255_i32 : i32 to i8
    %cst = arith.constant -3.750000e-01 : f64
    %1 = arith.cmpf ugt, %cst, %cst : f64
    %cst_0 = arith.constant -6.400000e+01 : f16
    %2 = arith.addf %cst_0, %cst_0 : f16
    %3 = arith.addf %cst_0, %cst_0 : f16
    %cst_1 = arith.constant -3.750000e-01 : f32
    %4 = math.fma %cst_1, %cst_1, %cst_1 : f32
    %cst_2 = arith.constant -0.000000e+00 : bf16
    %5 = arith.cmpf ord, %cst_2, %cst_2 : bf16
    %cst_3 = arith.constant 1.000000e+00 : bf16
    %6 = arith.select %5, %cst_2, %cst_3 : bf16
    %cst_4 = arith.constant -1.280000e+02 : bf16
    %7 = arith.maximumf %6, %cst_4 : bf16
    %cst_5 = arith.constant 1.270000e+02 : bf16
    %8 = arith.minimumf %7, %cst_5 : bf16
    %9 = arith.fptosi %8 : bf16 to i16
    %10 = arith.cmpf ord, %cst, %cst : f64
    %cst_6 = arith.constant 1.000000e+00 : f64
    %11 = arith.select %10, %cst, %cst_6 : f64
    %cst_7 = arith.constant 0.000000e+00 : f64
    %12 = arith.maximumf %11, %cst_7 : f64
    %cst_8 = arith.constant 2.480000e+02 : f64
    %13 = arith.minimumf %12, %cst_8 : f64
    %14 = arith.fptoui %13 : f64 to i32
    %15 = arith.minui %9, %9 : i16
    %c31_i32 = arith.constant 31 : i32
    %16 = arith.shli %c-255_i32, %c31_i32 : i32
    %17 = arith.addi %10, %1 : i1
    %c4 = arith.constant 4 : index
    %c-3 = arith.constant -3 : index
    %18 = arith.subi %c4, %c-3 : index
    %19 = arith.cmpf oeq, %cst_1, %4 : f32
    %20 = arith.minui %5, %5 : i1
    %c8_i64 = arith.constant 8 : i64
    %21 = arith.maxui %c8_i64, %c8_i64 : i64
    %cst_9 = arith.constant -3.750000e-01 : f32
    %22 = math.fma %4, %cst_9, %cst_1 : f32
    %cst_10 = arith.constant -3.200000e+01 : bf16
    %23 = arith.cmpf ord, %cst_10, %cst_10 : bf16
    %cst_11 = arith.constant 1.000000e+00 : bf16
    %24 = arith.select %23, %cst_10, %cst_11 : bf16
    %cst_12 = arith.constant 0.000000e+00 : bf16
    %25 = arith.maximumf %24, %cst_12 : bf16
    %cst_13 = arith.constant 2.480000e+02 : bf16
    %cst_14 = arith.constant 2.480000e+02 : bf16
    %26 = arith.minimumf %25, %cst_13 : bf16
    %27 = arith.fptoui %26 : bf16 to i32
    %28 = arith.cmpi ult, %9, %9 : i16
    %29 = arith.trunci %c8_i64 : i64 to i32
    %30 = arith.trunci %c8_i64 : i64 to i32
    %31 = arith.muli %9, %9 : i16
    %c-1 = arith.constant -1 : index
    %32 = arith.maxsi %c-1, %c-1 : index
    %c0 = arith.constant 0 : index
    memref.store %cst_11, %arg1[%c0] : memref<6xbf16>
    %c1 = arith.constant 1 : index
    %c1_15 = arith.constant 1 : index
    memref.store %24, %arg1[%c1] : memref<6xbf16>
    %c2 = arith.constant 2 : index
    memref.store %cst_12, %arg1[%c2] : memref<6xbf16>
    %c3 = arith.constant 3 : index
    memref.store %25, %arg1[%c3] : memref<6xbf16>
    memref.store %cst_13, %arg1[%c4] : memref<6xbf16>
    %c5 = arith.constant 5 : index
    memref.store %26, %arg1[%c5] : memref<6xbf16>
    memref.store %cst_0, %arg2[%c0] : memref<2xf16>
    memref.store %2, %arg2[%c1] : memref<2xf16>
    %c0_16 = arith.constant 0 : index
    memref.store %cst_1, %arg3[%c0_16] : memref<4xf32>
    %c1_17 = arith.constant 1 : index
    memref.store %4, %arg3[%c1_17] : memref<4xf32>
    %c2_18 = arith.constant 2 : index
    memref.store %cst_9, %arg3[%c2_18] : memref<4xf32>
    %c3_19 = arith.constant 3 : index
    memref.store %22, %arg3[%c3_19] : memref<4xf32>
    memref.store %cst, %arg4[%c0_16] : memref<7xf64>
    %c1_20 = arith.constant 1 : index
    memref.store %cst_6, %arg4[%c1_20] : memref<7xf64>
    memref.store %11, %arg4[%c2] : memref<7xf64>
    memref.store %cst_7, %arg4[%c3_19] : memref<7xf64>
    memref.store %12, %arg4[%c4] : memref<7xf64>
    memref.store %cst_8, %arg4[%c5] : memref<7xf64>
    %c6 = arith.constant 6 : index
    memref.store %13, %arg4[%c6] : memref<7xf64>
    %c0_21 = arith.constant 0 : index
    memref.store %1, %arg5[%c0_21] : memref<8xi1>
    memref.store %5, %arg5[%c1_17] : memref<8xi1>
    memref.store %10, %arg5[%c2_18] : memref<8xi1>
    memref.store %17, %arg5[%c3_19] : memref<8xi1>
    %c4_22 = arith.constant 4 : index
    memref.store %19, %arg5[%c4_22] : memref<8xi1>
    memref.store %20, %arg5[%c5] : memref<8xi1>
    memref.store %23, %arg5[%c6] : memref<8xi1>
    memref.store %28, %arg5[%18] : memref<8xi1>
    memref.store %9, %arg6[%c0_21] : memref<3xi16>
    memref.store %15, %arg6[%c1] : memref<3xi16>
    memref.store %31, %arg6[%c2_18] : memref<3xi16>
    memref.store %c-255_i32, %arg7[%c0] : memref<6xi32>
    memref.store %14, %arg7[%c1_20] : memref<6xi32>
    memref.store %c31_i32, %arg7[%c2_18] : memref<6xi32>
    memref.store %16, %arg7[%c3] : memref<6xi32>
    memref.store %27, %arg7[%c4_22] : memref<6xi32>
    memref.store %29, %arg7[%c5] : memref<6xi32>
    memref.store %c8_i64, %arg8[%c0_21] : memref<2xi64>
    memref.store %21, %arg8[%c1_20] : memref<2xi64>
    memref.store %0, %arg9[%c0_16] : memref<1xi8>
    memref.store %c4, %arg10[%c0_21] : memref<5xindex>
    memref.store %c-3, %arg10[%c1_17] : memref<5xindex>
    memref.store %18, %arg10[%c2] : memref<5xindex>
    memref.store %c-1, %arg10[%c3] : memref<5xindex>
    memref.store %32, %arg10[%c4] : memref<5xindex>
    return
  }
}
