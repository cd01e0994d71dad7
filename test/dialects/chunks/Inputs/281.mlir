// {"kind": "calls", "entry": "chunk281", "traits": [], "arguments": [["a14", "i16", [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func private @chunk281_n1(%arg0: i1, %arg1: memref<1x3xf64>, %arg2: f32) -> f32 {
    %cst = arith.constant -2.2250738585072009E-308 : f64
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg1[%c0, %c0] : memref<1x3xf64>
    %c-1_i32 = arith.constant -1 : i32
    %0 = math.absi %c-1_i32 : i32
    %c0_0 = arith.constant 0 : index
    %subview = memref.subview %arg1[0, %c0_0] [1, 1] [1, 1] : memref<1x3xf64> to memref<1xf64, strided<[3], offset: ?>>
    %1 = math.absf %cst : f64
    %cst_1 = arith.constant -1.000000e+00 : f64
    %2 = math.absf %cst_1 : f64
    %3 = arith.maxnumf %1, %2 : f64
    return %arg2 : f32
  }
  func.func @chunk281(%arg0: i16, %arg1: memref<2xf32> {tilewright.output}, %arg2: memref<5xf64> {tilewright.output}, %arg3: memref<1xi16> {tilewright.output}, %arg4: memref<2xi32> {tilewright.output}, %arg5: memref<3xi8> {tilewright.output}, %arg6: memref<5xindex> {tilewright.output}) {
    %cst = arith.constant 7.000000e+00 : f64
    %cst_0 = arith.constant -6.879523922165134E-284 : f64
    %0 = math.fma %cst, %cst, %cst_0 : f64
    %c2 = arith.constant 2 : index
    %c-4 = arith.constant -4 : index
    %1 = arith.minsi %c2, %c-4 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    %c-2_i32 = arith.constant -2 : i32
    %c5_i8 = arith.constant 5 : i8
    %cst_2 = arith.constant -58.2725334 : f32
    %cst_3 = arith.constant 0x7FF0000000000000 : f64
    %2:4 = scf.for %arg7 = %c0 to %c1 step %c1 iter_args(%arg8 = %c-2_i32, %arg9 = %c5_i8, %arg10 = %cst_2, %arg11 = %cst_3) -> (i32, i8, f32, f64) {
      %4 = arith.extsi %arg9 : i8 to i32
      %5 = arith.extsi %c5_i8 : i8 to i32
      %6 = arith.addi %4, %5 overflow<nsw> : i32
      %true = arith.constant true
      %7 = math.ctpop %arg0 : i16
      %cst_8 = arith.constant 1.401300e-45 : f32
      scf.yield %6, %arg9, %cst_8, %cst_3 : i32, i8, f32, f64
    }
    %3 = arith.minui %c5_i8, %2#1 : i8
    memref.store %cst_2, %arg1[%c0] : memref<2xf32>
    %c1_4 = arith.constant 1 : index
    memref.store %2#2, %arg1[%c1_4] : memref<2xf32>
    memref.store %cst, %arg2[%c0] : memref<5xf64>
    %c1_5 = arith.constant 1 : index
    memref.store %cst_0, %arg2[%c1_5] : memref<5xf64>
    memref.store %0, %arg2[%c2] : memref<5xf64>
    %c3 = arith.constant 3 : index
    memref.store %cst_3, %arg2[%c3] : memref<5xf64>
    %c4 = arith.constant 4 : index
    memref.store %2#3, %arg2[%c4] : memref<5xf64>
    memref.store %arg0, %arg3[%c0] : memref<1xi16>
    %c0_6 = arith.constant 0 : index
    memref.store %c-2_i32, %arg4[%c0_6] : memref<2xi32>
    memref.store %2#0, %arg4[%c1] : memref<2xi32>
    memref.store %c5_i8, %arg5[%c0] : memref<3xi8>
    memref.store %2#1, %arg5[%c1_5] : memref<3xi8>
    %c2_7 = arith.constant 2 : index
    memref.store %3, %arg5[%c2_7] : memref<3xi8>
    memref.store %c2, %arg6[%c0_6] : memref<5xindex>
    memref.store %c-4, %arg6[%c1] : memref<5xindex>
    memref.store %1, %arg6[%c2_7] : memref<5xindex>
    memref.store %c0, %arg6[%c3] : memref<5xindex>
    memref.store %c1, %arg6[%c4] : memref<5xindex>
    return
  }
}
