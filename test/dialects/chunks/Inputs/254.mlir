// {"kind": "scalars", "entry": "chunk254", "traits": ["half", "libm"], "arguments": [["a0", "index", [0, 7], false], ["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [4], "f16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [4], "f16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk254(%arg0: index, %arg1: memref<4xbf16> {tilewright.output}, %arg2: memref<4xf16> {tilewright.output}, %arg3: memref<2xf32> {tilewright.output}, %arg4: memref<1xf64> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<2xi32> {tilewright.output}, %arg7: memref<2xi64> {tilewright.output}, %arg8: memref<1xi8> {tilewright.output}, %arg9: memref<4xindex> {tilewright.output}) {
    %cst = arith.constant 7.000000e+00 : bf16
    %0 = arith.divf %cst, %cst : bf16
    %cst_0 = arith.constant -3.750000e-01 : f32
    %1 = math.erf %cst_0 : f32
    %2 = arith.minimumf %cst, %0 : bf16
    %3 = arith.subf %0, %0 : bf16
    %cst_1 = arith.constant 2.309570e-01 : f16
    %4 = math.absf %cst_1 : f16
    %5 = math.absf %cst_1 : f16
    %6 = arith.minnumf %4, %5 : f16
    %7 = arith.minnumf %4, %5 : f16
    %c31_i8 = arith.constant 31 : i8
    %8 = arith.uitofp %c31_i8 : i8 to f64
    %9 = arith.cmpf ule, %6, %cst_1 : f16
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %10 = arith.andi %c3, %c1 : index
    %c2044685398_i32 = arith.constant 2044685398 : i32
    %11 = arith.addi %c2044685398_i32, %c2044685398_i32 : i32
    %c-127_i64 = arith.constant -127 : i64
    %c-1_i64 = arith.constant -1 : i64
    %12 = arith.cmpi sle, %c-127_i64, %c-1_i64 : i64
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg1[%c0] : memref<4xbf16>
    memref.store %0, %arg1[%c1] : memref<4xbf16>
    %c2 = arith.constant 2 : index
    memref.store %2, %arg1[%c2] : memref<4xbf16>
    memref.store %3, %arg1[%c3] : memref<4xbf16>
    memref.store %cst_1, %arg2[%c0] : memref<4xf16>
    memref.store %4, %arg2[%c1] : memref<4xf16>
    %c2_2 = arith.constant 2 : index
    memref.store %5, %arg2[%c2_2] : memref<4xf16>
    %c3_3 = arith.constant 3 : index
    memref.store %6, %arg2[%c3_3] : memref<4xf16>
    memref.store %cst_0, %arg3[%c0] : memref<2xf32>
    memref.store %1, %arg3[%c1] : memref<2xf32>
    %c0_4 = arith.constant 0 : index
    memref.store %8, %arg4[%c0_4] : memref<1xf64>
    memref.store %9, %arg5[%c0_4] : memref<2xi1>
    memref.store %12, %arg5[%c1] : memref<2xi1>
    memref.store %c2044685398_i32, %arg6[%c0_4] : memref<2xi32>
    memref.store %11, %arg6[%c1] : memref<2xi32>
    memref.store %c-127_i64, %arg7[%c0] : memref<2xi64>
    %c1_5 = arith.constant 1 : index
    memref.store %c-1_i64, %arg7[%c1_5] : memref<2xi64>
    memref.store %c31_i8, %arg8[%c0] : memref<1xi8>
    %c0_6 = arith.constant 0 : index
    memref.store %arg0, %arg9[%c0_6] : memref<4xindex>
    memref.store %c3, %arg9[%c1_5] : memref<4xindex>
    memref.store %c1, %arg9[%c2] : memref<4xindex>
    %c3_7 = arith.constant 3 : index
    memref.store %10, %arg9[%c3_7] : memref<4xindex>
    return
  }
}
