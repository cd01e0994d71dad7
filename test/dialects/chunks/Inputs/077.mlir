// {"kind": "halves", "entry": "chunk77", "traits": ["half"], "arguments": [["a0", ["memref", [2], "bf16"], [0, 0], false], ["a1", ["memref", [4], "i8"], [0, 0], false], ["a2", "i16", [0, 0], false], ["a3", "i32", [0, 0], false], ["a4", "i32", [0, 0], false], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk77(%arg0: memref<2xbf16>, %arg1: memref<4xi8>, %arg2: i16, %arg3: i32, %arg4: i32, %arg5: memref<2xf16> {tilewright.output}, %arg6: memref<1xf32> {tilewright.output}, %arg7: memref<1xi16> {tilewright.output}, %arg8: memref<3xi32> {tilewright.output}, %arg9: memref<1xi8> {tilewright.output}, %arg10: memref<4xindex> {tilewright.output}) {
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    %0 = arith.andi %c6, %c5 : index
    %1 = arith.subi %arg4, %arg4 : i32
    %cst = arith.constant 7.000000e+00 : f16
    %2 = arith.extf %cst : f16 to f32
    %3 = arith.extf %cst : f16 to f32
    %c2_i8 = arith.constant 2 : i8
    %4 = arith.sitofp %c2_i8 : i8 to f16
    %5 = arith.muli %0, %c6 : index
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg5[%c0] : memref<2xf16>
    %c1 = arith.constant 1 : index
    memref.store %4, %arg5[%c1] : memref<2xf16>
    memref.store %2, %arg6[%c0] : memref<1xf32>
    %c0_0 = arith.constant 0 : index
    memref.store %arg2, %arg7[%c0_0] : memref<1xi16>
    memref.store %arg3, %arg8[%c0] : memref<3xi32>
    %c1_1 = arith.constant 1 : index
    memref.store %arg4, %arg8[%c1_1] : memref<3xi32>
    %c2 = arith.constant 2 : index
    memref.store %1, %arg8[%c2] : memref<3xi32>
    memref.store %c2_i8, %arg9[%c0_0] : memref<1xi8>
    memref.store %c6, %arg10[%c0] : memref<4xindex>
    %c1_2 = arith.constant 1 : index
    memref.store %c5, %arg10[%c1_2] : memref<4xindex>
    %c2_3 = arith.constant 2 : index
    memref.store %0, %arg10[%c2_3] : memref<4xindex>
    %c3 = arith.constant 3 : index
    memref.store %5, %arg10[%c3] : memref<4xindex>
    return
  }
}
