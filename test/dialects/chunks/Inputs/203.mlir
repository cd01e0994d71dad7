// {"kind": "halves", "entry": "chunk203", "traits": ["half"], "arguments": [["a0", "f32", [0, 0], false], ["a1", ["memref", [3, 3], "i16"], [0, 0], false], ["out_bf16", ["memref", [3], "bf16"], [0, 0], true], ["out_f16", ["memref", [7], "f16"], [0, 0], true], ["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out7", ["memref", [3, 2, 2, 3], "i16"], [0, 0], true]], "results": [["out_bf16", ["memref", [3], "bf16"], [0, 0], true], ["out_f16", ["memref", [7], "f16"], [0, 0], true], ["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out7", ["memref", [3, 2, 2, 3], "i16"], [0, 0], true]]}
module {
  func.func @chunk203(%arg0: f32, %arg1: memref<3x3xi16>, %arg2: memref<3xbf16> {tilewright.output}, %arg3: memref<7xf16> {tilewright.output}, %arg4: memref<5xf32> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<1xi16> {tilewright.output}, %arg7: memref<1xi32> {tilewright.output}, %arg8: memref<1xi8> {tilewright.output}, %arg9: memref<3x2x2x3xi16> {tilewright.output}) {
    %cst = arith.constant 7.000000e+00 : f16
    %0 = arith.cmpf ord, %cst, %cst : f16
    %cst_0 = arith.constant 1.000000e+00 : f16
    %cst_1 = arith.constant 1.000000e+00 : f16
    %1 = arith.select %0, %cst, %cst_0 : f16
    %cst_2 = arith.constant 0.000000e+00 : f16
    %2 = arith.maximumf %1, %cst_2 : f16
    %cst_3 = arith.constant 2.480000e+02 : f16
    %3 = arith.minimumf %2, %cst_3 : f16
    %4 = arith.fptoui %3 : f16 to i32
    %5 = arith.select %0, %0, %0 : i1
    %cst_4 = arith.constant 6.108930e-27 : bf16
    %6 = arith.mulf %cst_4, %cst_4 : bf16
    %cst_5 = arith.constant -1.000000e+00 : f32
    %7 = arith.mulf %arg0, %cst_5 : f32
    %8 = math.fma %cst_5, %cst_5, %7 : f32
    %9 = arith.negf %cst_2 : f16
    %c84_i8 = arith.constant 84 : i8
    %10 = arith.uitofp %c84_i8 : i8 to f16
    %11 = math.floor %cst_4 : bf16
    %alloc = memref.alloc() : memref<3x2x2x3xi16>
    %c256_i16 = arith.constant 256 : i16
    linalg.fill ins(%c256_i16 : i16) outs(%alloc : memref<3x2x2x3xi16>)
    linalg.broadcast ins(%arg1 : memref<3x3xi16>) outs(%alloc : memref<3x2x2x3xi16>) dimensions = [1, 2] 
    %12 = math.roundeven %cst_5 : f32
    %c0 = arith.constant 0 : index
    memref.store %cst_4, %arg2[%c0] : memref<3xbf16>
    %c1 = arith.constant 1 : index
    memref.store %6, %arg2[%c1] : memref<3xbf16>
    %c2 = arith.constant 2 : index
    memref.store %11, %arg2[%c2] : memref<3xbf16>
    memref.store %cst_2, %arg3[%c0] : memref<7xf16>
    %c1_6 = arith.constant 1 : index
    memref.store %2, %arg3[%c1_6] : memref<7xf16>
    memref.store %cst_3, %arg3[%c2] : memref<7xf16>
    %c3 = arith.constant 3 : index
    %c3_7 = arith.constant 3 : index
    memref.store %3, %arg3[%c3] : memref<7xf16>
    %c4 = arith.constant 4 : index
    memref.store %9, %arg3[%c4] : memref<7xf16>
    %c5 = arith.constant 5 : index
    memref.store %10, %arg3[%c5] : memref<7xf16>
    %c6 = arith.constant 6 : index
    memref.store %cst_0, %arg3[%c6] : memref<7xf16>
    %c0_8 = arith.constant 0 : index
    memref.store %arg0, %arg4[%c0_8] : memref<5xf32>
    memref.store %cst_5, %arg4[%c1_6] : memref<5xf32>
    memref.store %7, %arg4[%c2] : memref<5xf32>
    memref.store %8, %arg4[%c3] : memref<5xf32>
    %c4_9 = arith.constant 4 : index
    memref.store %12, %arg4[%c4_9] : memref<5xf32>
    %c0_10 = arith.constant 0 : index
    memref.store %0, %arg5[%c0_10] : memref<2xi1>
    %c1_11 = arith.constant 1 : index
    memref.store %5, %arg5[%c1_11] : memref<2xi1>
    memref.store %c256_i16, %arg6[%c0] : memref<1xi16>
    memref.store %4, %arg7[%c0_8] : memref<1xi32>
    %c0_12 = arith.constant 0 : index
    memref.store %c84_i8, %arg8[%c0_12] : memref<1xi8>
    memref.copy %alloc, %arg9 : memref<3x2x2x3xi16> to memref<3x2x2x3xi16>
    return
  }
}
