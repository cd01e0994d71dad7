// {"kind": "halves", "entry": "chunk161", "traits": ["half"], "arguments": [["a0", "i8", [0, 0], false], ["a1", ["memref", [2, 3], "bf16"], [0, 0], false], ["a2", ["memref", [1], "f32"], [0, 0], false], ["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true]], "results": [["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true]]}
module {
  func.func @chunk161(%arg0: i8, %arg1: memref<2x3xbf16>, %arg2: memref<1xf32>, %arg3: memref<1xbf16> {tilewright.output}, %arg4: memref<2xf16> {tilewright.output}, %arg5: memref<3xf32> {tilewright.output}, %arg6: memref<1xi1> {tilewright.output}, %arg7: memref<2xi16> {tilewright.output}, %arg8: memref<1xi8> {tilewright.output}) {
    %cst = arith.constant 6.103520e-05 : f16
    %0 = math.absf %cst : f16
    %cst_0 = arith.constant 1.000000e+01 : f32
    %cst_1 = arith.constant 0.838356614 : f32
    %1 = arith.addf %cst_0, %cst_1 : f32
    %c-32767_i16 = arith.constant -32767 : i16
    %2 = math.ctpop %c-32767_i16 : i16
    %cst_2 = arith.constant 2.500000e+00 : bf16
    %3 = arith.cmpf ult, %cst_2, %cst_2 : bf16
    %c0 = arith.constant 0 : index
    memref.store %cst_2, %arg3[%c0] : memref<1xbf16>
    %c0_3 = arith.constant 0 : index
    memref.store %cst, %arg4[%c0_3] : memref<2xf16>
    %c1 = arith.constant 1 : index
    memref.store %0, %arg4[%c1] : memref<2xf16>
    memref.store %cst_0, %arg5[%c0_3] : memref<3xf32>
    memref.store %cst_1, %arg5[%c1] : memref<3xf32>
    %c2 = arith.constant 2 : index
    memref.store %1, %arg5[%c2] : memref<3xf32>
    memref.store %3, %arg6[%c0_3] : memref<1xi1>
    %c0_4 = arith.constant 0 : index
    memref.store %c-32767_i16, %arg7[%c0_4] : memref<2xi16>
    memref.store %2, %arg7[%c1] : memref<2xi16>
    memref.store %arg0, %arg8[%c0] : memref<1xi8>
    return
  }
}
