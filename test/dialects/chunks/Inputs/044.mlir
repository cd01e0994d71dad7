// {"kind": "scalars", "entry": "chunk44", "traits": ["half", "libm"], "arguments": [["a0", ["memref", [1, 3], "f64"], [0, 0], false], ["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i64", ["memref", [7], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [8], "i32"], [0, 0], true], ["out_i64", ["memref", [7], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]]}
module {
  func.func @chunk44(%arg0: memref<1x3xf64>, %arg1: memref<2xbf16> {tilewright.output}, %arg2: memref<2xf16> {tilewright.output}, %arg3: memref<4xf32> {tilewright.output}, %arg4: memref<7xf64> {tilewright.output}, %arg5: memref<3xi1> {tilewright.output}, %arg6: memref<1xi16> {tilewright.output}, %arg7: memref<8xi32> {tilewright.output}, %arg8: memref<7xi64> {tilewright.output}, %arg9: memref<3xi8> {tilewright.output}, %arg10: memref<1xindex> {tilewright.output}) {
    %c1_i64 = arith.constant 1 : i64
    %0 = arith.shrsi %c1_i64, %c1_i64 : i64
    %cst = arith.constant -1.000000e+00 : f64
    %1 = arith.cmpf ord, %cst, %cst : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %2 = arith.select %1, %cst, %cst_0 : f64
    %3 = arith.select %1, %cst, %cst_0 : f64
    %cst_1 = arith.constant -1.280000e+02 : f64
    %4 = arith.maximumf %2, %cst_1 : f64
    %cst_2 = arith.constant 1.270000e+02 : f64
    %5 = arith.minimumf %4, %cst_2 : f64
    %6 = arith.fptosi %5 : f64 to i64
    %cst_3 = arith.constant -0.000000e+00 : f32
    %7 = math.fma %cst_3, %cst_3, %cst_3 : f32
    %c9_i32 = arith.constant 9 : i32
    %low, %high = arith.mului_extended %c9_i32, %c9_i32 : i32
    %8 = arith.cmpi sgt, %high, %low : i32
    %9 = arith.truncf %cst_3 : f32 to bf16
    %cst_4 = arith.constant 1.000000e+00 : f16
    %10 = math.floor %cst_4 : f16
    %11 = arith.truncf %cst_2 : f64 to f32
    %12 = arith.truncf %cst_3 : f32 to bf16
    %c-128_i32 = arith.constant -128 : i32
    %13 = arith.ceildivsi %high, %c-128_i32 : i32
    %14 = arith.trunci %c1_i64 : i64 to i32
    %15 = math.exp2 %7 : f32
    %c5_i64 = arith.constant 5 : i64
    %c5_i64_5 = arith.constant 5 : i64
    %c63_i64 = arith.constant 63 : i64
    %16 = arith.andi %c5_i64, %c63_i64 : i64
    %17 = arith.index_cast %16 : i64 to index
    %low_6, %high_7 = arith.mului_extended %13, %low : i32
    %c0_i8 = arith.constant 0 : i8
    %c-2_i8 = arith.constant -2 : i8
    %18 = arith.remui %c0_i8, %c-2_i8 : i8
    %19 = arith.ori %1, %1 : i1
    %20 = arith.index_castui %17 : index to i16
    %c7_i64 = arith.constant 7 : i64
    %21 = arith.andi %0, %c7_i64 : i64
    %22 = math.ipowi %c5_i64, %21 : i64
    %c0 = arith.constant 0 : index
    memref.store %9, %arg1[%c0] : memref<2xbf16>
    %c1 = arith.constant 1 : index
    memref.store %12, %arg1[%c1] : memref<2xbf16>
    memref.store %cst_4, %arg2[%c0] : memref<2xf16>
    %c1_8 = arith.constant 1 : index
    memref.store %10, %arg2[%c1_8] : memref<2xf16>
    memref.store %cst_3, %arg3[%c0] : memref<4xf32>
    memref.store %7, %arg3[%c1_8] : memref<4xf32>
    %c2 = arith.constant 2 : index
    memref.store %11, %arg3[%c2] : memref<4xf32>
    %c3 = arith.constant 3 : index
    memref.store %15, %arg3[%c3] : memref<4xf32>
    memref.store %cst, %arg4[%c0] : memref<7xf64>
    memref.store %cst_0, %arg4[%c1_8] : memref<7xf64>
    %c2_9 = arith.constant 2 : index
    memref.store %2, %arg4[%c2_9] : memref<7xf64>
    %c3_10 = arith.constant 3 : index
    memref.store %cst_1, %arg4[%c3_10] : memref<7xf64>
    %c4 = arith.constant 4 : index
    memref.store %4, %arg4[%c4] : memref<7xf64>
    %c5 = arith.constant 5 : index
    memref.store %cst_2, %arg4[%c5] : memref<7xf64>
    %c6 = arith.constant 6 : index
    memref.store %5, %arg4[%c6] : memref<7xf64>
    memref.store %1, %arg5[%c0] : memref<3xi1>
    memref.store %8, %arg5[%c1] : memref<3xi1>
    memref.store %19, %arg5[%c2_9] : memref<3xi1>
    memref.store %20, %arg6[%c0] : memref<1xi16>
    memref.store %c9_i32, %arg7[%c0] : memref<8xi32>
    %c1_11 = arith.constant 1 : index
    memref.store %low, %arg7[%c1_11] : memref<8xi32>
    memref.store %high, %arg7[%c2] : memref<8xi32>
    memref.store %c-128_i32, %arg7[%c3] : memref<8xi32>
    memref.store %13, %arg7[%c4] : memref<8xi32>
    memref.store %14, %arg7[%c5] : memref<8xi32>
    memref.store %low_6, %arg7[%c6] : memref<8xi32>
    %c7 = arith.constant 7 : index
    memref.store %high_7, %arg7[%c7] : memref<8xi32>
    memref.store %c5_i64, %arg8[%c0] : memref<7xi64>
    memref.store %c63_i64, %arg8[%c1_8] : memref<7xi64>
    memref.store %16, %arg8[%c2_9] : memref<7xi64>
    memref.store %c7_i64, %arg8[%c3_10] : memref<7xi64>
    memref.store %21, %arg8[%c4] : memref<7xi64>
    memref.store %22, %arg8[%c5] : memref<7xi64>
    memref.store %0, %arg8[%c6] : memref<7xi64>
    memref.store %c0_i8, %arg9[%c0] : memref<3xi8>
    memref.store %c-2_i8, %arg9[%c1_8] : memref<3xi8>
    %c2_12 = arith.constant 2 : index
    memref.store %18, %arg9[%c2_12] : memref<3xi8>
    memref.store %17, %arg10[%c0] : memref<1xindex>
    return
  }
}
