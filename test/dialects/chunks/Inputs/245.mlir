// {"kind": "halves", "entry": "chunk245", "traits": ["half"], "arguments": [["a0", "i1", [0, 0], false], ["a1", "i8", [0, 0], false], ["a2", ["memref", [3, 1, 1], "f32"], [0, 0], false], ["a3", "index", [0, 7], false], ["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true], ["out7", ["memref", [3, 1], "f32"], [0, 0], true]], "results": [["out_bf16", ["memref", [5], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true], ["out7", ["memref", [3, 1], "f32"], [0, 0], true]]}
module {
  func.func @chunk245(%arg0: i1, %arg1: i8, %arg2: memref<3x1x1xf32>, %arg3: index, %arg4: memref<5xbf16> {tilewright.output}, %arg5: memref<3xf16> {tilewright.output}, %arg6: memref<5xf32> {tilewright.output}, %arg7: memref<2xi1> {tilewright.output}, %arg8: memref<5xi16> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<1xindex> {tilewright.output}, %arg11: memref<3x1xf32> {tilewright.output}) {
    %cst = arith.constant 5.000000e-01 : f16
    %0 = arith.divf %cst, %cst : f16
    %cst_0 = arith.constant -9.183550e-41 : bf16
    %1 = arith.cmpf ord, %cst_0, %cst_0 : bf16
    %cst_1 = arith.constant 1.000000e+00 : bf16
    %2 = arith.select %1, %cst_0, %cst_1 : bf16
    %3 = math.copysign %cst_0, %2 : bf16
    %c-1_i16 = arith.constant -1 : i16
    %c7_i16 = arith.constant 7 : i16
    %4 = arith.andi %c-1_i16, %c7_i16 : i16
    %c129_i16 = arith.constant 129 : i16
    %5 = math.ipowi %c129_i16, %4 : i16
    %cst_2 = arith.constant 1.000000e+00 : f32
    %6 = arith.mulf %cst_2, %cst_2 : f32
    %7 = arith.negf %3 : bf16
    %c-1_i8 = arith.constant -1 : i8
    %8 = arith.uitofp %c-1_i8 : i8 to f16
    %cst_3 = arith.constant 1.000000e+01 : f32
    %9 = arith.remf %cst_2, %cst_3 : f32
    %alloc = memref.alloc() : memref<3x1xf32>
    %cst_4 = arith.constant 0.000000e+00 : f32
    %cst_5 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%cst_4 : f32) outs(%alloc : memref<3x1xf32>)
    linalg.reduce ins(%arg2 : memref<3x1x1xf32>) outs(%alloc : memref<3x1xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %10 = arith.addf %in, %init : f32
        linalg.yield %10 : f32
      }
    %c0 = arith.constant 0 : index
    memref.store %cst_0, %arg4[%c0] : memref<5xbf16>
    %c1 = arith.constant 1 : index
    memref.store %cst_1, %arg4[%c1] : memref<5xbf16>
    %c2 = arith.constant 2 : index
    memref.store %2, %arg4[%c2] : memref<5xbf16>
    %c3 = arith.constant 3 : index
    memref.store %3, %arg4[%c3] : memref<5xbf16>
    %c4 = arith.constant 4 : index
    memref.store %7, %arg4[%c4] : memref<5xbf16>
    memref.store %cst, %arg5[%c0] : memref<3xf16>
    %c1_6 = arith.constant 1 : index
    memref.store %0, %arg5[%c1_6] : memref<3xf16>
    memref.store %8, %arg5[%c2] : memref<3xf16>
    memref.store %cst_2, %arg6[%c0] : memref<5xf32>
    memref.store %6, %arg6[%c1_6] : memref<5xf32>
    memref.store %cst_3, %arg6[%c2] : memref<5xf32>
    memref.store %9, %arg6[%c3] : memref<5xf32>
    %c4_7 = arith.constant 4 : index
    memref.store %cst_4, %arg6[%c4_7] : memref<5xf32>
    memref.store %arg0, %arg7[%c0] : memref<2xi1>
    memref.store %1, %arg7[%c1] : memref<2xi1>
    memref.store %c-1_i16, %arg8[%c0] : memref<5xi16>
    %c1_8 = arith.constant 1 : index
    memref.store %c7_i16, %arg8[%c1_8] : memref<5xi16>
    memref.store %4, %arg8[%c2] : memref<5xi16>
    memref.store %c129_i16, %arg8[%c3] : memref<5xi16>
    memref.store %5, %arg8[%c4] : memref<5xi16>
    memref.store %arg1, %arg9[%c0] : memref<2xi8>
    %c1_9 = arith.constant 1 : index
    %c1_10 = arith.constant 1 : index
    memref.store %c-1_i8, %arg9[%c1_9] : memref<2xi8>
    memref.store %arg3, %arg10[%c0] : memref<1xindex>
    memref.copy %alloc, %arg11 : memref<3x1xf32> to memref<3x1xf32>
    return
  }
}
