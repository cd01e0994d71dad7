// {"kind": "scalars", "entry": "chunk2", "traits": ["half"], "arguments": [["a0", "i8", [0, 0], false], ["a1", ["memref", [4, 2, 4], "i1"], [0, 0], false], ["a2", "i8", [0, 0], false], ["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [6], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [7], "i64"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [6], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [7], "i64"], [0, 0], true], ["out_i8", ["memref", [7], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk2(%arg0: i8, %arg1: memref<4x2x4xi1>, %arg2: i8, %arg3: memref<2xbf16> {tilewright.output}, %arg4: memref<6xf16> {tilewright.output}, %arg5: memref<7xf32> {tilewright.output}, %arg6: memref<5xf64> {tilewright.output}, %arg7: memref<6xi1> {tilewright.output}, %arg8: memref<6xi16> {tilewright.output}, %arg9: memref<5xi32> {tilewright.output}, %arg10: memref<7xi64> {tilewright.output}, %arg11: memref<7xi8> {tilewright.output}, %arg12: memref<7xindex> {tilewright.output}) {
    %cst = arith.constant 5.000000e-01 : f64
    %cst_0 = arith.constant -0.000000e+00 : f64
    %0 = arith.mulf %cst, %cst_0 : f64
    %c-5_i32 = arith.constant -5 : i32
    %1 = arith.extsi %c-5_i32 : i32 to i64
    %2 = arith.extsi %c-5_i32 : i32 to i64
    %3 = arith.addi %1, %2 overflow<nsw> : i64
    %cst_1 = arith.constant 0.000000e+00 : f32
    %4 = arith.minimumf %cst_1, %cst_1 : f32
    %c3_i16 = arith.constant 3 : i16
    %5 = arith.sitofp %c3_i16 : i16 to f32
    %6 = arith.remf %cst_0, %cst : f64
    %cst_2 = arith.constant 0x7F80 : bf16
    %7 = arith.extf %cst_2 : bf16 to f64
    %c63_i8 = arith.constant 63 : i8
    %c63_i8_3 = arith.constant 63 : i8
    %8 = arith.andi %c63_i8, %c63_i8 : i8
    %c1_i8 = arith.constant 1 : i8
    %9 = arith.ori %8, %c1_i8 : i8
    %10 = arith.ceildivsi %arg2, %9 : i8
    %11 = arith.minui %c-5_i32, %c-5_i32 : i32
    %12 = arith.muli %c3_i16, %c3_i16 : i16
    %13 = arith.cmpf ole, %cst_2, %cst_2 : bf16
    %cst_4 = arith.constant -8.000000e+00 : f16
    %14 = arith.cmpf ord, %cst_4, %cst_4 : f16
    %cst_5 = arith.constant 1.000000e+00 : f16
    %15 = arith.select %14, %cst_4, %cst_5 : f16
    %16 = math.copysign %cst_4, %15 : f16
    %17 = arith.extsi %c-5_i32 : i32 to i64
    %18 = arith.extsi %c-5_i32 : i32 to i64
    %c-2_i32 = arith.constant -2 : i32
    %19 = arith.extsi %c-2_i32 : i32 to i64
    %20 = arith.addi %17, %19 overflow<nsw> : i64
    %21 = arith.cmpf ord, %5, %5 : f32
    %cst_6 = arith.constant 1.000000e+00 : f32
    %22 = arith.select %21, %5, %cst_6 : f32
    %cst_7 = arith.constant -1.280000e+02 : f32
    %23 = arith.maximumf %22, %cst_7 : f32
    %cst_8 = arith.constant 1.270000e+02 : f32
    %24 = arith.minimumf %23, %cst_8 : f32
    %25 = arith.fptosi %24 : f32 to i64
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %26 = arith.muli %c3, %c2 : index
    %cst_9 = arith.constant 6.550400e+04 : f16
    %27 = math.absf %cst_9 : f16
    %false = arith.constant false
    %28 = arith.extsi %false : i1 to i32
    %29 = arith.ori %c3_i16, %12 : i16
    %c8 = arith.constant 8 : index
    %30 = arith.maxsi %c2, %c8 : index
    %31 = arith.cmpf olt, %7, %6 : f64
    %c-3 = arith.constant -3 : index
    %32 = arith.minsi %c2, %c-3 : index
    %c15_i16 = arith.constant 15 : i16
    %33 = arith.andi %12, %c15_i16 : i16
    %34 = arith.shli %29, %33 : i16
    %c2_i32 = arith.constant 2 : i32
    %35 = arith.cmpi sgt, %11, %c2_i32 : i32
    %36 = arith.subf %cst_2, %cst_2 : bf16
    %c0 = arith.constant 0 : index
    memref.store %cst_2, %arg3[%c0] : memref<2xbf16>
    %c1 = arith.constant 1 : index
    memref.store %36, %arg3[%c1] : memref<2xbf16>
    memref.store %cst_4, %arg4[%c0] : memref<6xf16>
    %c1_10 = arith.constant 1 : index
    memref.store %cst_5, %arg4[%c1_10] : memref<6xf16>
    memref.store %15, %arg4[%c2] : memref<6xf16>
    memref.store %16, %arg4[%c3] : memref<6xf16>
    %c4 = arith.constant 4 : index
    memref.store %cst_9, %arg4[%c4] : memref<6xf16>
    %c5 = arith.constant 5 : index
    memref.store %27, %arg4[%c5] : memref<6xf16>
    %c0_11 = arith.constant 0 : index
    memref.store %cst_6, %arg5[%c0_11] : memref<7xf32>
    memref.store %22, %arg5[%c1] : memref<7xf32>
    memref.store %cst_7, %arg5[%c2] : memref<7xf32>
    memref.store %23, %arg5[%c3] : memref<7xf32>
    memref.store %cst_8, %arg5[%c4] : memref<7xf32>
    memref.store %24, %arg5[%c5] : memref<7xf32>
    memref.store %cst_1, %arg5[%26] : memref<7xf32>
    memref.store %cst, %arg6[%c0] : memref<5xf64>
    memref.store %cst_0, %arg6[%c1_10] : memref<5xf64>
    memref.store %0, %arg6[%c2] : memref<5xf64>
    %c3_12 = arith.constant 3 : index
    memref.store %6, %arg6[%c3_12] : memref<5xf64>
    memref.store %7, %arg6[%c4] : memref<5xf64>
    memref.store %13, %arg7[%c0_11] : memref<6xi1>
    memref.store %14, %arg7[%c1_10] : memref<6xi1>
    memref.store %21, %arg7[%c2] : memref<6xi1>
    memref.store %false, %arg7[%c3] : memref<6xi1>
    %c4_13 = arith.constant 4 : index
    memref.store %31, %arg7[%c4_13] : memref<6xi1>
    memref.store %35, %arg7[%c5] : memref<6xi1>
    memref.store %c3_i16, %arg8[%c0] : memref<6xi16>
    %c1_14 = arith.constant 1 : index
    memref.store %12, %arg8[%c1_14] : memref<6xi16>
    memref.store %29, %arg8[%c2] : memref<6xi16>
    memref.store %c15_i16, %arg8[%c3] : memref<6xi16>
    %c4_15 = arith.constant 4 : index
    memref.store %33, %arg8[%c4_15] : memref<6xi16>
    %c5_16 = arith.constant 5 : index
    memref.store %34, %arg8[%c5_16] : memref<6xi16>
    memref.store %c-5_i32, %arg9[%c0_11] : memref<5xi32>
    %c1_17 = arith.constant 1 : index
    memref.store %11, %arg9[%c1_17] : memref<5xi32>
    memref.store %c-2_i32, %arg9[%c2] : memref<5xi32>
    memref.store %28, %arg9[%c3] : memref<5xi32>
    memref.store %c2_i32, %arg9[%c4_15] : memref<5xi32>
    memref.store %1, %arg10[%c0_11] : memref<7xi64>
    memref.store %2, %arg10[%c1_10] : memref<7xi64>
    memref.store %3, %arg10[%c2] : memref<7xi64>
    memref.store %17, %arg10[%c3] : memref<7xi64>
    memref.store %19, %arg10[%c4_13] : memref<7xi64>
    memref.store %20, %arg10[%c5] : memref<7xi64>
    memref.store %25, %arg10[%26] : memref<7xi64>
    memref.store %arg0, %arg11[%c0_11] : memref<7xi8>
    memref.store %arg2, %arg11[%c1_14] : memref<7xi8>
    memref.store %c63_i8, %arg11[%c2] : memref<7xi8>
    memref.store %8, %arg11[%c3] : memref<7xi8>
    %c4_18 = arith.constant 4 : index
    memref.store %c1_i8, %arg11[%c4_18] : memref<7xi8>
    memref.store %9, %arg11[%c5_16] : memref<7xi8>
    memref.store %10, %arg11[%26] : memref<7xi8>
    memref.store %c3, %arg12[%c0] : memref<7xindex>
    memref.store %c2, %arg12[%c1_14] : memref<7xindex>
    memref.store %26, %arg12[%c2] : memref<7xindex>
    memref.store %c8, %arg12[%c3] : memref<7xindex>
    memref.store %30, %arg12[%c4_13] : memref<7xindex>
    %c5_19 = arith.constant 5 : index
    memref.store %c-3, %arg12[%c5_19] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %32, %arg12[%c6] : memref<7xindex>
    return
  }
}
