// {"kind": "mixed", "entry": "chunk125", "traits": ["half"], "arguments": [["a44", "i32", [0, 0], false], ["a45", "f32", [0, 0], false], ["a46", ["memref", [4, 3], "f64"], [0, 0], false], ["out_bf16", ["memref", [7], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_bf16", ["memref", [7], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1)[s0] -> (0)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1 floordiv 3)>
module {
  memref.global "private" constant @chunk125_n41 : memref<3x1x3xbf16> = dense<[[[-0.000000e+00, 4.531250e-01, 0.000000e+00]], [[-1.287170e-36, -9.183550e-41, -1.000000e+00]], [[-1.000000e+00, 5.000000e-01, 4.622930e+27]]]>
  func.func private @chunk125_n1() -> i1 {
    %cst = arith.constant 2.500000e-01 : bf16
    %0 = arith.cmpf ord, %cst, %cst : bf16
    %cst_0 = arith.constant 1.000000e+00 : bf16
    %1 = arith.select %0, %cst, %cst_0 : bf16
    %2 = math.copysign %cst, %1 : bf16
    %c2 = arith.constant 2 : index
    %c11 = arith.constant 11 : index
    scf.for %arg0 = %c2 to %c11 step %c2 {
      %c-2125398267096420452_i64 = arith.constant -2125398267096420452 : i64
      %5 = arith.subi %c-2125398267096420452_i64, %c-2125398267096420452_i64 : i64
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %cst_2 = arith.constant -1.250000e-01 : f64
      %6 = scf.for %arg1 = %c2 to %c4 step %c3 iter_args(%arg2 = %cst_2) -> (f64) {
        %8 = arith.subi %arg0, %arg0 : index
        %c-2_i64 = arith.constant -2 : i64
        %c6_i64 = arith.constant 6 : i64
        %c2_i64 = arith.constant 2 : i64
        %c126_i8 = arith.constant 126 : i8
        %9:2 = scf.for %arg3 = %c-2_i64 to %c6_i64 step %c2_i64 iter_args(%arg4 = %c126_i8, %arg5 = %c-2_i64) -> (i8, i64)  : i64 {
          %11 = arith.cmpi eq, %c6_i64, %c-2_i64 : i64
          %cst_3 = arith.constant 1.000000e+00 : f32
          %cst_4 = arith.constant 3.40282347E+38 : f32
          %12 = math.fma %cst_3, %cst_3, %cst_4 : f32
          %cst_5 = arith.constant 7.000000e+00 : f32
          %13 = arith.subf %cst_4, %cst_5 : f32
          %14 = arith.select %11, %1, %cst_0 : bf16
          %c1_i8 = arith.constant 1 : i8
          %15 = arith.shrui %c1_i8, %c1_i8 : i8
          scf.yield %15, %arg5 : i8, i64
        }
        %false = arith.constant false
        %10 = arith.cmpi ugt, %false, %0 : i1
        scf.yield %arg2 : f64
      }
      %c6 = arith.constant 6 : index
      %7 = affine.apply #map(%c6, %arg0)[%arg0]
    }
    %3 = memref.get_global @chunk125_n41 : memref<3x1x3xbf16>
    %cst_1 = arith.constant -0.000000e+00 : f64
    %4 = arith.remf %cst_1, %cst_1 : f64
    return %0 : i1
  }
  func.func @chunk125(%arg0: i32, %arg1: f32, %arg2: memref<4x3xf64>, %arg3: memref<7xbf16> {tilewright.output}, %arg4: memref<3xf16> {tilewright.output}, %arg5: memref<3xf32> {tilewright.output}, %arg6: memref<1xf64> {tilewright.output}, %arg7: memref<1xi1> {tilewright.output}, %arg8: memref<4xi16> {tilewright.output}, %arg9: memref<2xi32> {tilewright.output}, %arg10: memref<3xi64> {tilewright.output}, %arg11: memref<8xindex> {tilewright.output}) {
    %cst = arith.constant -2.475000e+01 : bf16
    %0 = arith.maximumf %cst, %cst : bf16
    %c2 = arith.constant 2 : index
    %1 = affine.apply #map1(%c2)
    %2 = math.absf %0 : bf16
    %3 = math.absf %0 : bf16
    %4 = arith.maxnumf %2, %3 : bf16
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c-1 = arith.constant -1 : index
    scf.for %arg12 = %c-3 to %c-1 step %c1 {
      %14 = affine.apply #map2(%arg12, %1)
      %15 = arith.remui %1, %c2 : index
      %subview = memref.subview %arg2[%15, 0] [3, 2] [1, 2] : memref<4x3xf64> to memref<3x2xf64, strided<[3, 2], offset: ?>>
    }
    %true = arith.constant true
    %cst_1 = arith.constant 4.812500e+00 : bf16
    %5 = arith.select %true, %cst_1, %4 : bf16
    %c5333579353146427212_i64 = arith.constant 5333579353146427212 : i64
    %c5_i64 = arith.constant 5 : i64
    %6 = arith.addi %c5333579353146427212_i64, %c5_i64 : i64
    %7 = arith.maxsi %arg0, %arg0 : i32
    %cst_2 = arith.constant -0.000000e+00 : f16
    %c0 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    %8:3 = scf.while (%arg12 = %c0, %arg13 = %arg1, %arg14 = %cst_2) : (index, f32, f16) -> (index, f32, f16) {
      %14 = arith.cmpi slt, %arg12, %c2 : index
      scf.condition(%14) %arg12, %arg13, %arg14 : index, f32, f16
    } do {
    ^bb0(%arg12: index, %arg13: f32, %arg14: f16):
      %c5_i8 = arith.constant 5 : i8
      %14 = arith.extsi %c5_i8 : i8 to i32
      %c-15874_i16 = arith.constant -15874 : i16
      %15 = arith.extsi %c-15874_i16 : i16 to i64
      %subview = memref.subview %arg2[0, 0] [2, 2] [1, 1] : memref<4x3xf64> to memref<2x2xf64, strided<[3, 1]>>
      %16 = arith.addi %arg12, %c1_3 : index
      %cst_12 = arith.constant 3.87571063E+28 : f32
      scf.yield %16, %cst_12, %arg14 : index, f32, f16
    }
    %9 = math.roundeven %arg1 : f32
    %c128_i16 = arith.constant 128 : i16
    %c7_i16 = arith.constant 7 : i16
    %10 = arith.andi %c128_i16, %c7_i16 : i16
    %11 = math.ipowi %c7_i16, %10 : i16
    %12 = scf.if %true -> (f16) {
      scf.yield %cst_2 : f16
    } else {
      %expand_shape = memref.expand_shape %arg2 [[0, 1], [2, 3]] output_shape [1, 4, 1, 3] : memref<4x3xf64> into memref<1x4x1x3xf64>
      scf.yield %cst_2 : f16
    }
    %13 = memref.load %arg2[%c0, %1] : memref<4x3xf64>
    memref.store %cst, %arg3[%c0] : memref<7xbf16>
    %c1_4 = arith.constant 1 : index
    memref.store %0, %arg3[%c1_4] : memref<7xbf16>
    %c2_5 = arith.constant 2 : index
    memref.store %2, %arg3[%c2_5] : memref<7xbf16>
    %c3 = arith.constant 3 : index
    memref.store %3, %arg3[%c3] : memref<7xbf16>
    %c4 = arith.constant 4 : index
    memref.store %4, %arg3[%c4] : memref<7xbf16>
    %c5 = arith.constant 5 : index
    memref.store %cst_1, %arg3[%c5] : memref<7xbf16>
    %c6 = arith.constant 6 : index
    memref.store %5, %arg3[%c6] : memref<7xbf16>
    memref.store %cst_2, %arg4[%c0] : memref<3xf16>
    %c1_6 = arith.constant 1 : index
    memref.store %8#2, %arg4[%c1_6] : memref<3xf16>
    memref.store %12, %arg4[%c2_5] : memref<3xf16>
    memref.store %arg1, %arg5[%c0] : memref<3xf32>
    memref.store %8#1, %arg5[%c1_6] : memref<3xf32>
    memref.store %9, %arg5[%c2_5] : memref<3xf32>
    memref.store %13, %arg6[%c0] : memref<1xf64>
    memref.store %true, %arg7[%c0] : memref<1xi1>
    %c0_7 = arith.constant 0 : index
    memref.store %c128_i16, %arg8[%c0_7] : memref<4xi16>
    memref.store %c7_i16, %arg8[%c1_4] : memref<4xi16>
    memref.store %10, %arg8[%c2_5] : memref<4xi16>
    memref.store %11, %arg8[%c3] : memref<4xi16>
    memref.store %arg0, %arg9[%c0_7] : memref<2xi32>
    memref.store %7, %arg9[%c1_4] : memref<2xi32>
    memref.store %c5333579353146427212_i64, %arg10[%c0_7] : memref<3xi64>
    %c1_8 = arith.constant 1 : index
    memref.store %c5_i64, %arg10[%c1_8] : memref<3xi64>
    memref.store %6, %arg10[%c2] : memref<3xi64>
    memref.store %c2, %arg11[%c0] : memref<8xindex>
    memref.store %1, %arg11[%c1_3] : memref<8xindex>
    %c2_9 = arith.constant 2 : index
    memref.store %c-3, %arg11[%c2_9] : memref<8xindex>
    %c3_10 = arith.constant 3 : index
    memref.store %c1, %arg11[%c3_10] : memref<8xindex>
    memref.store %c-1, %arg11[%c4] : memref<8xindex>
    %c5_11 = arith.constant 5 : index
    memref.store %c0, %arg11[%c5_11] : memref<8xindex>
    memref.store %c1_3, %arg11[%c6] : memref<8xindex>
    %c7 = arith.constant 7 : index
    memref.store %8#0, %arg11[%c7] : memref<8xindex>
    return
  }
}
