// {"kind": "scalars", "entry": "chunk170", "traits": ["half"], "arguments": [["a0", ["memref", [], "bf16"], [0, 0], false], ["a1", "f64", [0, 0], false], ["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [7], "i16"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [2], "f16"], [0, 0], true], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [7], "i16"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk170(%arg0: memref<bf16>, %arg1: f64, %arg2: memref<4xbf16> {tilewright.output}, %arg3: memref<2xf16> {tilewright.output}, %arg4: memref<7xf32> {tilewright.output}, %arg5: memref<4xf64> {tilewright.output}, %arg6: memref<7xi1> {tilewright.output}, %arg7: memref<7xi16> {tilewright.output}, %arg8: memref<7xi32> {tilewright.output}, %arg9: memref<1xi8> {tilewright.output}, %arg10: memref<7xindex> {tilewright.output}) {
    %c-17405_i16 = arith.constant -17405 : i16
    %0 = arith.cmpi ne, %c-17405_i16, %c-17405_i16 : i16
    %cst = arith.constant -1.000000e+00 : f64
    %1 = arith.remf %arg1, %cst : f64
    %2 = arith.subi %c-17405_i16, %c-17405_i16 : i16
    %3 = arith.andi %0, %0 : i1
    %4 = arith.cmpf ult, %1, %arg1 : f64
    %cst_0 = arith.constant 1.000000e+00 : f32
    %5 = arith.subf %cst_0, %cst_0 : f32
    %6 = arith.muli %4, %4 : i1
    %cst_1 = arith.constant -1.000000e+00 : bf16
    %7 = math.floor %cst_1 : bf16
    %cst_2 = arith.constant -0.000000e+00 : f16
    %8 = math.absf %cst_2 : f16
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %9 = arith.maxsi %c3, %c8 : index
    %c5 = arith.constant 5 : index
    %10 = arith.cmpi ugt, %c5, %9 : index
    %c86_i8 = arith.constant 86 : i8
    %c86_i8_3 = arith.constant 86 : i8
    %11 = arith.sitofp %c86_i8 : i8 to f64
    %12 = arith.negf %7 : bf16
    %13 = math.ctlz %2 : i16
    %14 = arith.cmpf ord, %5, %5 : f32
    %cst_4 = arith.constant 1.000000e+00 : f32
    %15 = arith.select %14, %5, %cst_4 : f32
    %cst_5 = arith.constant -1.280000e+02 : f32
    %16 = arith.maximumf %15, %cst_5 : f32
    %cst_6 = arith.constant 1.270000e+02 : f32
    %17 = arith.minimumf %16, %cst_6 : f32
    %18 = arith.fptosi %17 : f32 to i16
    %c-3 = arith.constant -3 : index
    %19 = arith.uitofp %c86_i8 : i8 to bf16
    %20 = arith.cmpi sgt, %c86_i8, %c86_i8 : i8
    %c8_i16 = arith.constant 8 : i16
    %c32767_i16 = arith.constant 32767 : i16
    %21 = arith.ori %c8_i16, %c32767_i16 : i16
    %c1823796085_i32 = arith.constant 1823796085 : i32
    %c3_i32 = arith.constant 3 : i32
    %c129_i32 = arith.constant 129 : i32
    %22 = arith.andi %c129_i32, %c3_i32 : i32
    %c1_i32 = arith.constant 1 : i32
    %23 = arith.ori %22, %c1_i32 : i32
    %24 = arith.divui %c1823796085_i32, %23 : i32
    %c2 = arith.constant 2 : index
    %25 = arith.subi %c2, %9 : index
    %c2_i32 = arith.constant 2 : i32
    %26 = arith.ceildivsi %23, %c2_i32 : i32
    %27 = math.fma %15, %15, %17 : f32
    %c-2 = arith.constant -2 : index
    %28 = arith.subi %c2, %c-2 : index
    %c0 = arith.constant 0 : index
    memref.store %cst_1, %arg2[%c0] : memref<4xbf16>
    %c1 = arith.constant 1 : index
    memref.store %7, %arg2[%c1] : memref<4xbf16>
    memref.store %12, %arg2[%c2] : memref<4xbf16>
    memref.store %19, %arg2[%c3] : memref<4xbf16>
    memref.store %cst_2, %arg3[%c0] : memref<2xf16>
    memref.store %8, %arg3[%c1] : memref<2xf16>
    memref.store %15, %arg4[%c0] : memref<7xf32>
    memref.store %cst_5, %arg4[%c1] : memref<7xf32>
    memref.store %16, %arg4[%c2] : memref<7xf32>
    memref.store %cst_6, %arg4[%c3] : memref<7xf32>
    memref.store %17, %arg4[%28] : memref<7xf32>
    memref.store %27, %arg4[%c5] : memref<7xf32>
    %c6 = arith.constant 6 : index
    memref.store %cst_0, %arg4[%c6] : memref<7xf32>
    memref.store %arg1, %arg5[%c0] : memref<4xf64>
    memref.store %cst, %arg5[%c1] : memref<4xf64>
    %c2_7 = arith.constant 2 : index
    %c2_8 = arith.constant 2 : index
    memref.store %1, %arg5[%c2_7] : memref<4xf64>
    memref.store %11, %arg5[%c3] : memref<4xf64>
    memref.store %0, %arg6[%c0] : memref<7xi1>
    memref.store %3, %arg6[%c1] : memref<7xi1>
    memref.store %4, %arg6[%c2_7] : memref<7xi1>
    %c3_9 = arith.constant 3 : index
    memref.store %6, %arg6[%c3_9] : memref<7xi1>
    memref.store %10, %arg6[%28] : memref<7xi1>
    memref.store %14, %arg6[%c5] : memref<7xi1>
    memref.store %20, %arg6[%c6] : memref<7xi1>
    memref.store %c-17405_i16, %arg7[%c0] : memref<7xi16>
    memref.store %2, %arg7[%c1] : memref<7xi16>
    memref.store %13, %arg7[%c2] : memref<7xi16>
    memref.store %18, %arg7[%c3] : memref<7xi16>
    memref.store %c8_i16, %arg7[%28] : memref<7xi16>
    %c5_10 = arith.constant 5 : index
    memref.store %c32767_i16, %arg7[%c5_10] : memref<7xi16>
    memref.store %21, %arg7[%c6] : memref<7xi16>
    memref.store %22, %arg8[%c0] : memref<7xi32>
    memref.store %c1_i32, %arg8[%c1] : memref<7xi32>
    %c2_11 = arith.constant 2 : index
    memref.store %23, %arg8[%c2_11] : memref<7xi32>
    memref.store %24, %arg8[%c3_9] : memref<7xi32>
    memref.store %c2_i32, %arg8[%28] : memref<7xi32>
    %c5_12 = arith.constant 5 : index
    memref.store %26, %arg8[%c5_12] : memref<7xi32>
    %c6_13 = arith.constant 6 : index
    memref.store %c3_i32, %arg8[%c6_13] : memref<7xi32>
    memref.store %c86_i8, %arg9[%c0] : memref<1xi8>
    memref.store %c5, %arg10[%c0] : memref<7xindex>
    memref.store %c-3, %arg10[%c1] : memref<7xindex>
    memref.store %c2, %arg10[%c2] : memref<7xindex>
    memref.store %25, %arg10[%c3] : memref<7xindex>
    memref.store %c-2, %arg10[%28] : memref<7xindex>
    %c5_14 = arith.constant 5 : index
    memref.store %28, %arg10[%c5_14] : memref<7xindex>
    memref.store %c8, %arg10[%c6_13] : memref<7xindex>
    return
  }
}
