// {"kind": "scalars", "entry": "chunk212", "traits": ["half", "libm"], "arguments": [["a0", "i8", [0, 0], false], ["a1", ["memref", [3], "bf16"], [0, 0], false], ["a2", "i16", [0, 0], false], ["a3", "index", [0, 7], false], ["a4", ["memref", [4], "f32"], [0, 0], false], ["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [7], "f16"], [0, 0], true], ["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [7], "f16"], [0, 0], true], ["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true]]}
module {
  func.func @chunk212(%arg0: i8, %arg1: memref<3xbf16>, %arg2: i16, %arg3: index, %arg4: memref<4xf32>, %arg5: memref<5xbf16> {tilewright.output}, %arg6: memref<7xf16> {tilewright.output}, %arg7: memref<8xf32> {tilewright.output}, %arg8: memref<4xi1> {tilewright.output}, %arg9: memref<1xi16> {tilewright.output}, %arg10: memref<2xi32> {tilewright.output}, %arg11: memref<2xi64> {tilewright.output}, %arg12: memref<5xi8> {tilewright.output}, %arg13: memref<3xindex> {tilewright.output}) {
    %cst = arith.constant 1.250000e-01 : f16
    %0 = arith.cmpf ogt, %cst, %cst : f16
    %c7_i8 = arith.constant 7 : i8
    %1 = arith.andi %arg0, %c7_i8 : i8
    %2 = arith.shli %c7_i8, %1 : i8
    %cst_0 = arith.constant 1.000000e+00 : f32
    %3 = arith.cmpf ord, %cst_0, %cst_0 : f32
    %4 = arith.cmpf ord, %cst_0, %cst_0 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %5 = arith.select %3, %cst_0, %cst_1 : f32
    %6 = math.copysign %cst_0, %5 : f32
    %cst_2 = arith.constant 0x7F80 : bf16
    %7 = arith.subf %cst_2, %cst_2 : bf16
    %8 = arith.subf %cst_2, %cst_2 : bf16
    %9 = arith.cmpf ord, %cst_1, %cst_1 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %10 = arith.select %9, %cst_1, %cst_3 : f32
    %cst_4 = arith.constant -1.280000e+02 : f32
    %11 = arith.maximumf %10, %cst_4 : f32
    %cst_5 = arith.constant 1.270000e+02 : f32
    %12 = arith.minimumf %11, %cst_5 : f32
    %13 = arith.fptosi %12 : f32 to i64
    %14 = math.cosh %cst_5 : f32
    %15 = math.fma %10, %12, %10 : f32
    %16 = arith.maximumf %cst_5, %12 : f32
    %17 = math.exp %15 : f32
    %18 = arith.sitofp %arg0 : i8 to bf16
    %19 = arith.divf %cst, %cst : f16
    %cst_6 = arith.constant 1.281850e+34 : bf16
    %20 = arith.addf %cst_6, %cst_6 : bf16
    %c5 = arith.constant 5 : index
    %21 = arith.divui %arg3, %c5 : index
    %cst_7 = arith.constant 0.000000e+00 : f32
    %22 = math.cos %cst_7 : f32
    %23 = arith.trunci %arg2 : i16 to i8
    %c32768_i32 = arith.constant 32768 : i32
    %24 = arith.maxsi %c32768_i32, %c32768_i32 : i32
    %cst_8 = arith.constant 1.574220e+00 : f16
    %25 = arith.cmpf ord, %cst_8, %cst_8 : f16
    %cst_9 = arith.constant 1.000000e+00 : f16
    %26 = arith.select %25, %cst_8, %cst_9 : f16
    %cst_10 = arith.constant -1.280000e+02 : f16
    %27 = arith.maximumf %26, %cst_10 : f16
    %cst_11 = arith.constant 1.270000e+02 : f16
    %28 = arith.minimumf %27, %cst_11 : f16
    %29 = arith.minimumf %27, %cst_11 : f16
    %30 = arith.fptosi %28 : f16 to i64
    %31 = math.round %22 : f32
    %c0 = arith.constant 0 : index
    memref.store %cst_2, %arg5[%c0] : memref<5xbf16>
    %c1 = arith.constant 1 : index
    memref.store %7, %arg5[%c1] : memref<5xbf16>
    %c2 = arith.constant 2 : index
    memref.store %18, %arg5[%c2] : memref<5xbf16>
    %c3 = arith.constant 3 : index
    memref.store %cst_6, %arg5[%c3] : memref<5xbf16>
    %c4 = arith.constant 4 : index
    memref.store %20, %arg5[%c4] : memref<5xbf16>
    %c0_12 = arith.constant 0 : index
    memref.store %cst_9, %arg6[%c0_12] : memref<7xf16>
    memref.store %26, %arg6[%c1] : memref<7xf16>
    memref.store %cst_10, %arg6[%c2] : memref<7xf16>
    memref.store %27, %arg6[%c3] : memref<7xf16>
    memref.store %cst_11, %arg6[%c4] : memref<7xf16>
    memref.store %28, %arg6[%c5] : memref<7xf16>
    %c6 = arith.constant 6 : index
    memref.store %19, %arg6[%c6] : memref<7xf16>
    memref.store %15, %arg7[%c0] : memref<8xf32>
    memref.store %16, %arg7[%c1] : memref<8xf32>
    memref.store %17, %arg7[%c2] : memref<8xf32>
    memref.store %cst_7, %arg7[%c3] : memref<8xf32>
    memref.store %22, %arg7[%c4] : memref<8xf32>
    memref.store %31, %arg7[%c5] : memref<8xf32>
    %c6_13 = arith.constant 6 : index
    memref.store %6, %arg7[%c6_13] : memref<8xf32>
    %c7 = arith.constant 7 : index
    memref.store %cst_5, %arg7[%c7] : memref<8xf32>
    memref.store %0, %arg8[%c0] : memref<4xi1>
    %c1_14 = arith.constant 1 : index
    memref.store %3, %arg8[%c1_14] : memref<4xi1>
    memref.store %9, %arg8[%c2] : memref<4xi1>
    memref.store %25, %arg8[%c3] : memref<4xi1>
    %c0_15 = arith.constant 0 : index
    memref.store %arg2, %arg9[%c0_15] : memref<1xi16>
    memref.store %c32768_i32, %arg10[%c0] : memref<2xi32>
    memref.store %24, %arg10[%c1_14] : memref<2xi32>
    memref.store %13, %arg11[%c0_12] : memref<2xi64>
    memref.store %30, %arg11[%c1_14] : memref<2xi64>
    memref.store %arg0, %arg12[%c0_15] : memref<5xi8>
    memref.store %c7_i8, %arg12[%c1] : memref<5xi8>
    memref.store %1, %arg12[%c2] : memref<5xi8>
    %c3_16 = arith.constant 3 : index
    memref.store %2, %arg12[%c3_16] : memref<5xi8>
    memref.store %23, %arg12[%c4] : memref<5xi8>
    %c0_17 = arith.constant 0 : index
    %c0_18 = arith.constant 0 : index
    memref.store %arg3, %arg13[%c0_17] : memref<3xindex>
    %c1_19 = arith.constant 1 : index
    memref.store %c5, %arg13[%c1_19] : memref<3xindex>
    memref.store %21, %arg13[%c2] : memref<3xindex>
    return
  }
}
