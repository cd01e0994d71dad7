// {"kind": "scalars", "entry": "chunk128", "traits": ["half", "libm"], "arguments": [["a0", ["memref", [1, 2], "i32"], [0, 0], false], ["a1", ["memref", [2], "f64"], [0, 0], false], ["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [1], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i16", ["memref", [8], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [1], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [6], "i1"], [0, 0], true], ["out_i16", ["memref", [8], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true]]}
module {
  func.func @chunk128(%arg0: memref<1x2xi32>, %arg1: memref<2xf64>, %arg2: memref<5xbf16> {tilewright.output}, %arg3: memref<1xf16> {tilewright.output}, %arg4: memref<7xf32> {tilewright.output}, %arg5: memref<3xf64> {tilewright.output}, %arg6: memref<6xi1> {tilewright.output}, %arg7: memref<8xi16> {tilewright.output}, %arg8: memref<3xi32> {tilewright.output}, %arg9: memref<3xi8> {tilewright.output}, %arg10: memref<3xindex> {tilewright.output}) {
    %cst = arith.constant 0.16183053923648105 : f64
    %0 = arith.cmpf ogt, %cst, %cst : f64
    %1 = arith.negf %cst : f64
    %cst_0 = arith.constant -1.000000e+00 : f16
    %2 = arith.cmpf une, %cst_0, %cst_0 : f16
    %cst_1 = arith.constant 1.250000e-01 : bf16
    %cst_2 = arith.constant 7.000000e+00 : bf16
    %3 = arith.addf %cst_1, %cst_2 : bf16
    %c-129_i16 = arith.constant -129 : i16
    %4 = math.absi %c-129_i16 : i16
    %c1 = arith.constant 1 : index
    %5 = arith.index_cast %c1 : index to i16
    %6 = arith.index_cast %c1 : index to i16
    %c0 = arith.constant 0 : index
    %7 = arith.minsi %c0, %c1 : index
    %c-127_i32 = arith.constant -127 : i32
    %8 = arith.cmpi ne, %c-127_i32, %c-127_i32 : i32
    %c127_i8 = arith.constant 127 : i8
    %c2_i8 = arith.constant 2 : i8
    %9 = arith.remui %c127_i8, %c2_i8 : i8
    %10 = arith.maxsi %5, %4 : i16
    %cst_3 = arith.constant -1.000000e+00 : f32
    %cst_4 = arith.constant 1.401300e-45 : f32
    %11 = math.powf %cst_3, %cst_4 : f32
    %12 = arith.select %0, %cst_2, %cst_2 : bf16
    %13 = math.absi %c-127_i32 : i32
    %14 = arith.extui %0 : i1 to i32
    %low, %high = arith.mului_extended %4, %c-129_i16 : i16
    %15 = arith.cmpi eq, %c-127_i32, %14 : i32
    %16 = arith.mulf %cst_1, %cst_2 : bf16
    %17 = arith.negf %cst : f64
    %c24213_i16 = arith.constant 24213 : i16
    %18 = arith.xori %10, %c24213_i16 : i16
    %cst_5 = arith.constant 2.500000e+00 : f32
    %19 = arith.cmpf ord, %cst_4, %cst_4 : f32
    %cst_6 = arith.constant 1.000000e+00 : f32
    %20 = arith.select %19, %cst_4, %cst_6 : f32
    %21 = math.copysign %cst_5, %20 : f32
    %22 = arith.cmpf ogt, %cst_5, %cst_5 : f32
    memref.store %cst_1, %arg2[%c0] : memref<5xbf16>
    %c1_7 = arith.constant 1 : index
    memref.store %cst_2, %arg2[%c1_7] : memref<5xbf16>
    %c2 = arith.constant 2 : index
    memref.store %3, %arg2[%c2] : memref<5xbf16>
    %c3 = arith.constant 3 : index
    memref.store %12, %arg2[%c3] : memref<5xbf16>
    %c4 = arith.constant 4 : index
    memref.store %16, %arg2[%c4] : memref<5xbf16>
    memref.store %cst_0, %arg3[%c0] : memref<1xf16>
    memref.store %cst_3, %arg4[%7] : memref<7xf32>
    memref.store %cst_4, %arg4[%c1_7] : memref<7xf32>
    memref.store %11, %arg4[%c2] : memref<7xf32>
    memref.store %cst_5, %arg4[%c3] : memref<7xf32>
    memref.store %cst_6, %arg4[%c4] : memref<7xf32>
    %c5 = arith.constant 5 : index
    memref.store %20, %arg4[%c5] : memref<7xf32>
    %c6 = arith.constant 6 : index
    memref.store %21, %arg4[%c6] : memref<7xf32>
    memref.store %cst, %arg5[%7] : memref<3xf64>
    %c1_8 = arith.constant 1 : index
    memref.store %1, %arg5[%c1_8] : memref<3xf64>
    memref.store %17, %arg5[%c2] : memref<3xf64>
    memref.store %0, %arg6[%7] : memref<6xi1>
    memref.store %2, %arg6[%c1_8] : memref<6xi1>
    %c2_9 = arith.constant 2 : index
    memref.store %8, %arg6[%c2_9] : memref<6xi1>
    memref.store %15, %arg6[%c3] : memref<6xi1>
    memref.store %19, %arg6[%c4] : memref<6xi1>
    memref.store %22, %arg6[%c5] : memref<6xi1>
    memref.store %c-129_i16, %arg7[%c0] : memref<8xi16>
    memref.store %4, %arg7[%c1_7] : memref<8xi16>
    memref.store %5, %arg7[%c2] : memref<8xi16>
    memref.store %10, %arg7[%c3] : memref<8xi16>
    memref.store %low, %arg7[%c4] : memref<8xi16>
    %c5_10 = arith.constant 5 : index
    memref.store %high, %arg7[%c5_10] : memref<8xi16>
    %c6_11 = arith.constant 6 : index
    memref.store %c24213_i16, %arg7[%c6_11] : memref<8xi16>
    %c7 = arith.constant 7 : index
    memref.store %18, %arg7[%c7] : memref<8xi16>
    memref.store %c-127_i32, %arg8[%c0] : memref<3xi32>
    memref.store %13, %arg8[%c1] : memref<3xi32>
    %c2_12 = arith.constant 2 : index
    memref.store %14, %arg8[%c2_12] : memref<3xi32>
    %c0_13 = arith.constant 0 : index
    memref.store %c127_i8, %arg9[%c0_13] : memref<3xi8>
    memref.store %c2_i8, %arg9[%c1] : memref<3xi8>
    memref.store %9, %arg9[%c2_12] : memref<3xi8>
    %c0_14 = arith.constant 0 : index
    memref.store %c1, %arg10[%c0_14] : memref<3xindex>
    memref.store %c0, %arg10[%c1] : memref<3xindex>
    memref.store %7, %arg10[%c2] : memref<3xindex>
    return
  }
}
