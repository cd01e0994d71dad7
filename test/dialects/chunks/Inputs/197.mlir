// {"kind": "calls", "entry": "chunk197", "traits": [], "arguments": [["a12", ["memref", [3, 3, 2], "i1"], [0, 0], false], ["a13", ["memref", [4, 4], "i32"], [0, 0], false], ["a14", "i64", [0, 0], false], ["a15", "i64", [0, 0], false], ["a16", ["memref", [4, 2], "i32"], [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i64", ["memref", [8], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [1], "f64"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i64", ["memref", [8], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [1], "f64"], [0, 0], true]]}
module {
  func.func private @chunk197_n1(%arg0: memref<4x1x2xf32>) -> f64 {
    %c31_i32 = arith.constant 31 : i32
    %0 = arith.shli %c31_i32, %c31_i32 : i32
    %c-256_i16 = arith.constant -256 : i16
    %1 = arith.andi %c-256_i16, %c-256_i16 : i16
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %2 = arith.divui %c7, %c5 : index
    %cst = arith.constant 7.000000e+00 : f32
    %3 = arith.subf %cst, %cst : f32
    %cst_0 = arith.constant -1.6347603435731392E-230 : f64
    return %cst_0 : f64
  }
  func.func @chunk197(%arg0: memref<3x3x2xi1>, %arg1: memref<4x4xi32>, %arg2: i64, %arg3: i64, %arg4: memref<4x2xi32>, %arg5: memref<2xf32> {tilewright.output}, %arg6: memref<3xf64> {tilewright.output}, %arg7: memref<1xi1> {tilewright.output}, %arg8: memref<6xi16> {tilewright.output}, %arg9: memref<8xi64> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}, %arg11: memref<7xindex> {tilewright.output}, %arg12: memref<1xf64> {tilewright.output}) {
    %cst = arith.constant -0.000000e+00 : f32
    %0 = math.sqrt %cst : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %alloca = memref.alloca() : memref<1xf64>
    scf.for %arg13 = %c0 to %c1 step %c1 {
      %cst_6 = arith.constant -2.000000e+00 : f64
      memref.store %cst_6, %alloca[%arg13] : memref<1xf64>
    }
    scf.parallel (%arg13) = (%c0) to (%c1) step (%c1) {
      %cst_6 = arith.constant 1.000000e+00 : f64
      %12 = arith.truncf %cst_6 : f64 to f32
      %13 = arith.mulf %12, %12 : f32
      %14 = arith.subi %arg13, %c0 : index
      %15 = arith.subi %arg13, %c0 : index
      memref.store %cst_6, %alloca[%14] : memref<1xf64>
      scf.reduce 
    }
    %c126_i8 = arith.constant 126 : i8
    %1 = arith.uitofp %c126_i8 : i8 to f64
    %2 = arith.uitofp %c126_i8 : i8 to f64
    %c-5_i16 = arith.constant -5 : i16
    %c7_i16 = arith.constant 7 : i16
    %3 = arith.andi %c7_i16, %c7_i16 : i16
    %c1_i16 = arith.constant 1 : i16
    %4 = arith.ori %3, %c1_i16 : i16
    %5 = arith.floordivsi %c-5_i16, %4 : i16
    %6 = arith.cmpf one, %1, %1 : f64
    %c-3 = arith.constant -3 : index
    %c-1 = arith.constant -1 : index
    %7:2 = scf.for %arg13 = %c-3 to %c-1 step %c1 iter_args(%arg14 = %arg3, %arg15 = %arg2) -> (i64, i64) {
      scf.yield %arg2, %arg15 : i64, i64
    }
    %c4 = arith.constant 4 : index
    %8:3 = scf.while (%arg13 = %c0, %arg14 = %7#1, %arg15 = %arg2) : (index, i64, i64) -> (index, i64, i64) {
      %12 = arith.cmpi slt, %arg13, %c4 : index
      scf.condition(%12) %arg13, %arg14, %arg15 : index, i64, i64
    } do {
    ^bb0(%arg13: index, %arg14: i64, %arg15: i64):
      %12 = arith.cmpf uge, %0, %cst : f32
      %c4_i8 = arith.constant 4 : i8
      %13 = arith.shrui %c4_i8, %c4_i8 : i8
      %c63_i64 = arith.constant 63 : i64
      %14 = arith.andi %arg3, %c63_i64 : i64
      %15 = arith.shrui %14, %14 : i64
      %16 = arith.addi %arg13, %c1 : index
      scf.yield %16, %c63_i64, %c63_i64 : index, i64, i64
    }
    %9 = arith.remui %c4, %c1 : index
    memref.store %1, %alloca[%9] : memref<1xf64>
    %cst_0 = arith.constant 7.000000e+00 : f64
    %10 = arith.minimumf %1, %cst_0 : f64
    %c-257_i64 = arith.constant -257 : i64
    %11 = arith.subi %c-257_i64, %8#1 : i64
    memref.store %cst, %arg5[%c0] : memref<2xf32>
    memref.store %0, %arg5[%c1] : memref<2xf32>
    memref.store %1, %arg6[%9] : memref<3xf64>
    %c1_1 = arith.constant 1 : index
    memref.store %cst_0, %arg6[%c1_1] : memref<3xf64>
    %c2 = arith.constant 2 : index
    memref.store %10, %arg6[%c2] : memref<3xf64>
    memref.store %6, %arg7[%c0] : memref<1xi1>
    memref.store %c-5_i16, %arg8[%9] : memref<6xi16>
    memref.store %c7_i16, %arg8[%c1] : memref<6xi16>
    %c2_2 = arith.constant 2 : index
    memref.store %3, %arg8[%c2_2] : memref<6xi16>
    %c3 = arith.constant 3 : index
    memref.store %c1_i16, %arg8[%c3] : memref<6xi16>
    %c4_3 = arith.constant 4 : index
    memref.store %4, %arg8[%c4_3] : memref<6xi16>
    %c5 = arith.constant 5 : index
    memref.store %5, %arg8[%c5] : memref<6xi16>
    %c0_4 = arith.constant 0 : index
    memref.store %arg2, %arg9[%c0_4] : memref<8xi64>
    memref.store %arg3, %arg9[%c1_1] : memref<8xi64>
    %c2_5 = arith.constant 2 : index
    memref.store %7#0, %arg9[%c2_5] : memref<8xi64>
    memref.store %7#1, %arg9[%c3] : memref<8xi64>
    memref.store %8#1, %arg9[%c4_3] : memref<8xi64>
    memref.store %8#2, %arg9[%c5] : memref<8xi64>
    %c6 = arith.constant 6 : index
    memref.store %c-257_i64, %arg9[%c6] : memref<8xi64>
    %c7 = arith.constant 7 : index
    memref.store %11, %arg9[%c7] : memref<8xi64>
    memref.store %c126_i8, %arg10[%c0_4] : memref<1xi8>
    memref.store %c0, %arg11[%c0] : memref<7xindex>
    memref.store %c1, %arg11[%c1] : memref<7xindex>
    memref.store %c-3, %arg11[%c2_5] : memref<7xindex>
    memref.store %c-1, %arg11[%c3] : memref<7xindex>
    memref.store %c4, %arg11[%c4_3] : memref<7xindex>
    memref.store %8#0, %arg11[%c5] : memref<7xindex>
    memref.store %9, %arg11[%c6] : memref<7xindex>
    memref.copy %alloca, %arg12 : memref<1xf64> to memref<1xf64>
    return
  }
}
