// {"kind": "scalars", "entry": "chunk296", "traits": ["half"], "arguments": [["a0", ["memref", [3, 1, 4], "i8"], [0, 0], false], ["a1", "i8", [0, 0], false], ["a2", ["memref", [4, 4], "bf16"], [0, 0], false], ["a3", "f32", [0, 0], false], ["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true]], "results": [["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true]]}
module {
  func.func @chunk296(%arg0: memref<3x1x4xi8>, %arg1: i8, %arg2: memref<4x4xbf16>, %arg3: f32, %arg4: memref<5xbf16> {tilewright.output}, %arg5: memref<2xf16> {tilewright.output}, %arg6: memref<1xf32> {tilewright.output}, %arg7: memref<6xf64> {tilewright.output}, %arg8: memref<4xi1> {tilewright.output}, %arg9: memref<6xi16> {tilewright.output}, %arg10: memref<1xi32> {tilewright.output}, %arg11: memref<3xi64> {tilewright.output}, %arg12: memref<2xi8> {tilewright.output}) {
    %cst = arith.constant 0x7FF8000000000000 : f64
    %0 = arith.cmpf ord, %cst, %cst : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %1 = arith.select %0, %cst, %cst_0 : f64
    %2 = math.copysign %cst, %1 : f64
    %3 = arith.addi %arg1, %arg1 : i8
    %4 = arith.truncf %2 : f64 to f16
    %c-129_i16 = arith.constant -129 : i16
    %5 = arith.subi %c-129_i16, %c-129_i16 : i16
    %c15_i16 = arith.constant 15 : i16
    %6 = arith.andi %5, %c15_i16 : i16
    %7 = arith.shrsi %6, %6 : i16
    %cst_1 = arith.constant -1.000000e+00 : f64
    %8 = arith.remf %cst_1, %cst_0 : f64
    %9 = arith.minui %0, %0 : i1
    %c9_i32 = arith.constant 9 : i32
    %10 = arith.extsi %c9_i32 : i32 to i64
    %11 = arith.extsi %c9_i32 : i32 to i64
    %12 = arith.addi %10, %11 overflow<nsw> : i64
    %13 = arith.trunci %c9_i32 : i32 to i1
    %cst_2 = arith.constant -1.097950e+23 : bf16
    %cst_3 = arith.constant -1.000000e+00 : bf16
    %14 = arith.cmpf ord, %cst_3, %cst_3 : bf16
    %cst_4 = arith.constant 1.000000e+00 : bf16
    %15 = arith.select %14, %cst_3, %cst_4 : bf16
    %16 = math.copysign %cst_2, %15 : bf16
    %17 = math.trunc %4 : f16
    %18 = arith.muli %c-129_i16, %5 : i16
    %c0 = arith.constant 0 : index
    memref.store %cst_2, %arg4[%c0] : memref<5xbf16>
    %c1 = arith.constant 1 : index
    memref.store %cst_3, %arg4[%c1] : memref<5xbf16>
    %c2 = arith.constant 2 : index
    memref.store %cst_4, %arg4[%c2] : memref<5xbf16>
    %c3 = arith.constant 3 : index
    memref.store %15, %arg4[%c3] : memref<5xbf16>
    %c4 = arith.constant 4 : index
    %c4_5 = arith.constant 4 : index
    memref.store %16, %arg4[%c4] : memref<5xbf16>
    memref.store %4, %arg5[%c0] : memref<2xf16>
    memref.store %17, %arg5[%c1] : memref<2xf16>
    memref.store %arg3, %arg6[%c0] : memref<1xf32>
    memref.store %cst, %arg7[%c0] : memref<6xf64>
    %c1_6 = arith.constant 1 : index
    memref.store %cst_0, %arg7[%c1_6] : memref<6xf64>
    memref.store %1, %arg7[%c2] : memref<6xf64>
    memref.store %2, %arg7[%c3] : memref<6xf64>
    memref.store %cst_1, %arg7[%c4] : memref<6xf64>
    %c5 = arith.constant 5 : index
    memref.store %8, %arg7[%c5] : memref<6xf64>
    memref.store %0, %arg8[%c0] : memref<4xi1>
    memref.store %9, %arg8[%c1] : memref<4xi1>
    memref.store %13, %arg8[%c2] : memref<4xi1>
    memref.store %14, %arg8[%c3] : memref<4xi1>
    memref.store %c-129_i16, %arg9[%c0] : memref<6xi16>
    memref.store %5, %arg9[%c1_6] : memref<6xi16>
    memref.store %c15_i16, %arg9[%c2] : memref<6xi16>
    memref.store %6, %arg9[%c3] : memref<6xi16>
    memref.store %7, %arg9[%c4] : memref<6xi16>
    memref.store %18, %arg9[%c5] : memref<6xi16>
    memref.store %c9_i32, %arg10[%c0] : memref<1xi32>
    memref.store %10, %arg11[%c0] : memref<3xi64>
    memref.store %11, %arg11[%c1] : memref<3xi64>
    %c2_7 = arith.constant 2 : index
    memref.store %12, %arg11[%c2_7] : memref<3xi64>
    memref.store %arg1, %arg12[%c0] : memref<2xi8>
    %c1_8 = arith.constant 1 : index
    memref.store %3, %arg12[%c1_8] : memref<2xi8>
    return
  }
}
