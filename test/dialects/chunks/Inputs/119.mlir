// {"kind": "halves", "entry": "chunk119", "traits": ["half"], "arguments": [["a0", "f32", [0, 0], false], ["a1", "i8", [0, 0], false], ["a2", "f32", [0, 0], false], ["a3", ["memref", [1, 1], "bf16"], [0, 0], false], ["a4", ["memref", [3, 1], "bf16"], [0, 0], false], ["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f16", ["memref", [5], "f16"], [0, 0], true], ["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i8", ["memref", [4], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out7", ["memref", [3, 1], "bf16"], [0, 0], true]], "results": [["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f16", ["memref", [5], "f16"], [0, 0], true], ["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i8", ["memref", [4], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out7", ["memref", [3, 1], "bf16"], [0, 0], true]]}
module {
  func.func @chunk119(%arg0: f32, %arg1: i8, %arg2: f32, %arg3: memref<1x1xbf16>, %arg4: memref<3x1xbf16>, %arg5: memref<1xbf16> {tilewright.output}, %arg6: memref<5xf16> {tilewright.output}, %arg7: memref<6xf32> {tilewright.output}, %arg8: memref<1xi1> {tilewright.output}, %arg9: memref<4xi16> {tilewright.output}, %arg10: memref<4xi8> {tilewright.output}, %arg11: memref<6xindex> {tilewright.output}, %arg12: memref<3x1xbf16> {tilewright.output}) {
    %0 = arith.sitofp %arg1 : i8 to bf16
    %alloca = memref.alloca() : memref<3x1xbf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c3_0 = arith.constant 3 : index
    scf.for %arg13 = %c0 to %c3 step %c1 {
      scf.for %arg14 = %c0 to %c1 step %c1 {
        memref.store %0, %alloca[%arg13, %arg14] : memref<3x1xbf16>
      }
    }
    linalg.mul ins(%arg4, %arg4 : memref<3x1xbf16>, memref<3x1xbf16>) outs(%alloca : memref<3x1xbf16>)
    %cst = arith.constant -0.000000e+00 : f16
    %cst_1 = arith.constant 4.003910e-01 : f16
    %1 = arith.mulf %cst, %cst_1 : f16
    %c6 = arith.constant 6 : index
    %c4 = arith.constant 4 : index
    %c4_2 = arith.constant 4 : index
    %2 = arith.addi %c6, %c4 : index
    %3 = arith.remui %c3, %c3 : index
    %c1_3 = arith.constant 1 : index
    %4 = arith.remui %c1, %c1_3 : index
    memref.store %0, %alloca[%3, %4] : memref<3x1xbf16>
    %5 = arith.remf %arg2, %arg2 : f32
    %6 = arith.cmpf false, %5, %arg0 : f32
    %c7_i16 = arith.constant 7 : i16
    %c7_i16_4 = arith.constant 7 : i16
    %7 = arith.andi %c7_i16, %c7_i16_4 : i16
    %8 = math.ipowi %7, %7 : i16
    %cst_5 = arith.constant -1.000000e+00 : f16
    %9 = arith.maximumf %cst_5, %cst_5 : f16
    %10 = math.absf %arg0 : f32
    %11 = math.absf %10 : f32
    %12 = arith.minnumf %10, %11 : f32
    %c7_i8 = arith.constant 7 : i8
    %13 = arith.andi %arg1, %c7_i8 : i8
    %14 = math.ipowi %arg1, %13 : i8
    memref.store %0, %arg5[%c0] : memref<1xbf16>
    %c0_6 = arith.constant 0 : index
    memref.store %cst, %arg6[%c0_6] : memref<5xf16>
    memref.store %cst_1, %arg6[%c1] : memref<5xf16>
    %c2 = arith.constant 2 : index
    memref.store %1, %arg6[%c2] : memref<5xf16>
    memref.store %cst_5, %arg6[%c3] : memref<5xf16>
    %c4_7 = arith.constant 4 : index
    memref.store %9, %arg6[%c4_7] : memref<5xf16>
    memref.store %arg0, %arg7[%c0] : memref<6xf32>
    memref.store %arg2, %arg7[%c1_3] : memref<6xf32>
    memref.store %5, %arg7[%c2] : memref<6xf32>
    memref.store %10, %arg7[%c3] : memref<6xf32>
    memref.store %11, %arg7[%c4_7] : memref<6xf32>
    %c5 = arith.constant 5 : index
    memref.store %12, %arg7[%c5] : memref<6xf32>
    memref.store %6, %arg8[%4] : memref<1xi1>
    memref.store %c7_i16, %arg9[%c0_6] : memref<4xi16>
    memref.store %c7_i16_4, %arg9[%c1] : memref<4xi16>
    memref.store %7, %arg9[%c2] : memref<4xi16>
    memref.store %8, %arg9[%c3] : memref<4xi16>
    %c0_8 = arith.constant 0 : index
    memref.store %arg1, %arg10[%c0_8] : memref<4xi8>
    memref.store %c7_i8, %arg10[%c1] : memref<4xi8>
    memref.store %13, %arg10[%c2] : memref<4xi8>
    memref.store %14, %arg10[%c3] : memref<4xi8>
    memref.store %c6, %arg11[%c0_6] : memref<6xindex>
    memref.store %c4, %arg11[%c1_3] : memref<6xindex>
    %c2_9 = arith.constant 2 : index
    memref.store %2, %arg11[%c2_9] : memref<6xindex>
    memref.store %3, %arg11[%c3] : memref<6xindex>
    memref.store %c1_3, %arg11[%c4_7] : memref<6xindex>
    %c5_10 = arith.constant 5 : index
    memref.store %4, %arg11[%c5_10] : memref<6xindex>
    memref.copy %alloca, %arg12 : memref<3x1xbf16> to memref<3x1xbf16>
    return
  }
}
