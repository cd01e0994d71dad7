// {"kind": "memory", "entry": "chunk224", "traits": [], "arguments": [["a0", "i64", [0, 0], false], ["a1", ["memref", [2, 1], "i32"], [0, 0], false], ["a2", "i32", [0, 0], false], ["a3", ["memref", [2, 2], "f64"], [0, 0], false], ["a4", ["memref", [3, 1, 2], "i64"], [0, 0], false], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i16", ["memref", [7], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out5", ["memref", [3, 1, 2], "i64"], [0, 0], true], ["out6", ["memref", [3, 1, 2], "i64"], [0, 0], true], ["out7", ["memref", [], "i32"], [0, 0], true]], "results": [["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i16", ["memref", [7], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out5", ["memref", [3, 1, 2], "i64"], [0, 0], true], ["out6", ["memref", [3, 1, 2], "i64"], [0, 0], true], ["out7", ["memref", [], "i32"], [0, 0], true]]}
module {
  func.func @chunk224(%arg0: i64, %arg1: memref<2x1xi32>, %arg2: i32, %arg3: memref<2x2xf64>, %arg4: memref<3x1x2xi64>, %arg5: memref<6xf64> {tilewright.output}, %arg6: memref<7xi16> {tilewright.output}, %arg7: memref<2xi32> {tilewright.output}, %arg8: memref<3xi64> {tilewright.output}, %arg9: memref<6xindex> {tilewright.output}, %arg10: memref<3x1x2xi64> {tilewright.output}, %arg11: memref<3x1x2xi64> {tilewright.output}, %arg12: memref<i32> {tilewright.output}) {
    %c-1_i16 = arith.constant -1 : i16
    %0 = arith.maxui %c-1_i16, %c-1_i16 : i16
    %alloc = memref.alloc() : memref<3x1x2xi64>
    linalg.fill ins(%arg0 : i64) outs(%alloc : memref<3x1x2xi64>)
    memref.copy %arg4, %alloc : memref<3x1x2xi64> to memref<3x1x2xi64>
    %cst = arith.constant 5.000000e-01 : f64
    %1 = arith.negf %cst : f64
    %2 = arith.muli %arg2, %arg2 : i32
    %alloc_0 = memref.alloc() : memref<3x1x2xi64>
    linalg.fill ins(%arg0 : i64) outs(%alloc_0 : memref<3x1x2xi64>)
    memref.copy %arg4, %alloc_0 : memref<3x1x2xi64> to memref<3x1x2xi64>
    %c0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %3 = memref.load %alloc[%c0, %c0, %c0_1] : memref<3x1x2xi64>
    %reinterpret_cast = memref.reinterpret_cast %alloc to offset: [1], sizes: [1, 3], strides: [2, 2] : memref<3x1x2xi64> to memref<1x3xi64, strided<[2, 2], offset: 1>>
    %c7_i16 = arith.constant 7 : i16
    %c63_i16 = arith.constant 63 : i16
    %4 = arith.andi %c63_i16, %c63_i16 : i16
    %c1_i16 = arith.constant 1 : i16
    %5 = arith.ori %4, %c1_i16 : i16
    %6 = arith.ceildivui %c7_i16, %5 : i16
    %7 = arith.ceildivui %c7_i16, %5 : i16
    %8 = arith.subi %c63_i16, %5 : i16
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %c-2 = arith.constant -2 : index
    %c-2_2 = arith.constant -2 : index
    %cst_3 = arith.constant -0.000000e+00 : f64
    %9 = scf.for %arg13 = %c-3 to %c-2 step %c1 iter_args(%arg14 = %cst_3) -> (f64) {
      %cst_10 = arith.constant 1.000000e+01 : f32
      %cst_11 = arith.constant 2.500000e+00 : f32
      %13 = arith.cmpf ord, %cst_11, %cst_11 : f32
      %cst_12 = arith.constant 1.000000e+00 : f32
      %14 = arith.select %13, %cst_11, %cst_12 : f32
      %15 = math.copysign %cst_10, %14 : f32
      %c3_13 = arith.constant 3 : index
      %c5_14 = arith.constant 5 : index
      %16 = scf.for %arg15 = %c0 to %c5_14 step %c3_13 iter_args(%arg16 = %arg14) -> (f64) {
        %alloc_15 = memref.alloc() : memref<i16>
        linalg.fill ins(%c-1_i16 : i16) outs(%alloc_15 : memref<i16>)
        %c1_16 = arith.constant 1 : index
        %c2_17 = arith.constant 2 : index
        %17 = arith.remui %c5_14, %c2_17 : index
        %18 = memref.load %arg3[%c1_16, %17] : memref<2x2xf64>
        scf.yield %18 : f64
      }
      scf.yield %1 : f64
    }
    %10 = arith.remui %c1, %c1 : index
    %11 = memref.load %arg4[%c1, %10, %c1] : memref<3x1x2xi64>
    %alloca = memref.alloca() : memref<i32>
    linalg.fill ins(%2 : i32) outs(%alloca : memref<i32>)
    %cst_4 = arith.constant -5.5007851082445252E+98 : f64
    %12 = math.fma %cst_4, %cst_4, %9 : f64
    %c0_5 = arith.constant 0 : index
    memref.store %cst, %arg5[%c0_5] : memref<6xf64>
    %c1_6 = arith.constant 1 : index
    memref.store %1, %arg5[%c1_6] : memref<6xf64>
    %c2 = arith.constant 2 : index
    %c2_7 = arith.constant 2 : index
    memref.store %cst_3, %arg5[%c2] : memref<6xf64>
    %c3 = arith.constant 3 : index
    memref.store %9, %arg5[%c3] : memref<6xf64>
    %c4 = arith.constant 4 : index
    memref.store %cst_4, %arg5[%c4] : memref<6xf64>
    %c5 = arith.constant 5 : index
    memref.store %12, %arg5[%c5] : memref<6xf64>
    memref.store %c63_i16, %arg6[%c0_5] : memref<7xi16>
    %c1_8 = arith.constant 1 : index
    memref.store %4, %arg6[%c1_8] : memref<7xi16>
    %c2_9 = arith.constant 2 : index
    memref.store %c1_i16, %arg6[%c2_9] : memref<7xi16>
    memref.store %5, %arg6[%c3] : memref<7xi16>
    memref.store %6, %arg6[%c4] : memref<7xi16>
    memref.store %8, %arg6[%c5] : memref<7xi16>
    %c6 = arith.constant 6 : index
    memref.store %c-1_i16, %arg6[%c6] : memref<7xi16>
    memref.store %arg2, %arg7[%c0] : memref<2xi32>
    memref.store %2, %arg7[%c1_6] : memref<2xi32>
    memref.store %arg0, %arg8[%c0_5] : memref<3xi64>
    memref.store %3, %arg8[%c1_8] : memref<3xi64>
    memref.store %11, %arg8[%c2_9] : memref<3xi64>
    memref.store %c0, %arg9[%c0_1] : memref<6xindex>
    memref.store %c0_1, %arg9[%c1_8] : memref<6xindex>
    memref.store %c-3, %arg9[%c2] : memref<6xindex>
    memref.store %c1, %arg9[%c3] : memref<6xindex>
    memref.store %c-2, %arg9[%c4] : memref<6xindex>
    memref.store %10, %arg9[%c5] : memref<6xindex>
    memref.copy %alloc, %arg10 : memref<3x1x2xi64> to memref<3x1x2xi64>
    memref.copy %alloc_0, %arg11 : memref<3x1x2xi64> to memref<3x1x2xi64>
    memref.copy %alloca, %arg12 : memref<i32> to memref<i32>
    return
  }
}
