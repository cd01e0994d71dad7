// {"kind": "calls", "entry": "chunk113", "traits": [], "arguments": [["a26", ["memref", [4, 2], "i64"], [0, 0], false], ["a27", ["memref", [1, 1, 3], "f32"], [0, 0], false], ["a28", "index", [0, 7], false], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [4], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [4], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func private @chunk113_n1() -> i1 {
    %c1282129072_i32 = arith.constant 1282129072 : i32
    %0 = arith.uitofp %c1282129072_i32 : i32 to f32
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    %c-26916_i16 = arith.constant -26916 : i16
    %1 = scf.for %arg0 = %c1 to %c1 step %c1_1 iter_args(%arg1 = %c-26916_i16) -> (i16) {
      %c9_i64 = arith.constant 9 : i64
      %3 = arith.sitofp %c9_i64 : i64 to f64
      scf.yield %arg1 : i16
    }
    %true = arith.constant true
    %2 = arith.ori %true, %true : i1
    %true_2 = arith.constant true
    return %true_2 : i1
  }
  func.func private @chunk113_n16() -> i8 {
    %c3_i16 = arith.constant 3 : i16
    %0 = arith.trunci %c3_i16 : i16 to i1
    %cst = arith.constant 0.000000e+00 : f64
    %1 = arith.cmpf oeq, %cst, %cst : f64
    %2 = call @chunk113_n1() : () -> i1
    %3 = call @chunk113_n1() : () -> i1
    %cst_0 = arith.constant 1.250000e-01 : f32
    %4 = arith.maximumf %cst_0, %cst_0 : f32
    %5 = call @chunk113_n1() : () -> i1
    %c5_i8 = arith.constant 5 : i8
    return %c5_i8 : i8
  }
  func.func @chunk113(%arg0: memref<4x2xi64>, %arg1: memref<1x1x3xf32>, %arg2: index, %arg3: memref<6xf64> {tilewright.output}, %arg4: memref<4xi1> {tilewright.output}, %arg5: memref<4xi16> {tilewright.output}, %arg6: memref<2xi32> {tilewright.output}, %arg7: memref<4xi64> {tilewright.output}, %arg8: memref<4xi8> {tilewright.output}, %arg9: memref<6xindex> {tilewright.output}) {
    %0 = call @chunk113_n16() : () -> i8
    %1 = call @chunk113_n1() : () -> i1
    %2 = math.cttz %0 : i8
    %c-1_i16 = arith.constant -1 : i16
    %3 = arith.addi %c-1_i16, %c-1_i16 : i16
    %c0 = arith.constant 0 : index
    %subview = memref.subview %arg0[1, %c0] [3, 2] [1, 1] : memref<4x2xi64> to memref<3x2xi64, strided<[2, 1], offset: ?>>
    %c4 = arith.constant 4 : index
    %4 = arith.remui %arg2, %c4 : index
    %c1 = arith.constant 1 : index
    %5 = memref.load %arg0[%4, %c1] : memref<4x2xi64>
    %c0_0 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c5_2 = arith.constant 5 : index
    %cst = arith.constant 0xFFF0000000000000 : f64
    %6:4 = scf.for %arg10 = %c0_0 to %c5 step %c1_1 iter_args(%arg11 = %cst, %arg12 = %3, %arg13 = %cst, %arg14 = %1) -> (f64, i16, f64, i1) {
      %cst_12 = arith.constant -0.000000e+00 : f32
      %cst_13 = arith.constant -0.000000e+00 : f32
      %cst_14 = arith.constant -1.000000e+00 : f32
      %16 = arith.cmpf ord, %cst_14, %cst_14 : f32
      %cst_15 = arith.constant 1.000000e+00 : f32
      %17 = arith.select %16, %cst_14, %cst_15 : f32
      %18 = math.copysign %cst_12, %17 : f32
      %19 = func.call @chunk113_n1() : () -> i1
      scf.yield %arg13, %c-1_i16, %arg11, %19 : f64, i16, f64, i1
    }
    %cst_3 = arith.constant 0.95136838946452151 : f64
    %7 = arith.addf %cst_3, %cst_3 : f64
    %8 = call @chunk113_n1() : () -> i1
    %c0_4 = arith.constant 0 : index
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %9:3 = scf.for %arg10 = %c0_4 to %4 step %c1 iter_args(%arg11 = %2, %arg12 = %6#0, %arg13 = %c2147483647_i32) -> (i8, f64, i32) {
      %16 = func.call @chunk113_n1() : () -> i1
      %17 = func.call @chunk113_n16() : () -> i8
      %c-128_i8 = arith.constant -128 : i8
      %18 = arith.minsi %arg11, %c-128_i8 : i8
      %19 = arith.addi %arg10, %arg2 : index
      scf.yield %c-128_i8, %arg12, %arg13 : i8, f64, i32
    }
    %10 = arith.maxsi %arg2, %4 : index
    %11 = arith.extsi %9#2 : i32 to i64
    %12 = arith.extsi %9#2 : i32 to i64
    %13 = arith.muli %11, %12 overflow<nsw> : i64
    %14:3 = scf.while (%arg10 = %c0_4, %arg11 = %0, %arg12 = %6#1) : (index, i8, i16) -> (index, i8, i16) {
      %16 = arith.cmpi slt, %arg10, %c0_0 : index
      scf.condition(%16) %arg10, %arg11, %arg12 : index, i8, i16
    } do {
    ^bb0(%arg10: index, %arg11: i8, %arg12: i16):
      %16 = func.call @chunk113_n16() : () -> i8
      %c-32767_i16 = arith.constant -32767 : i16
      %17 = arith.andi %arg12, %c-32767_i16 : i16
      %18 = arith.minui %11, %11 : i64
      %19 = arith.addi %arg10, %c1 : index
      scf.yield %19, %16, %arg12 : index, i8, i16
    }
    %15 = call @chunk113_n1() : () -> i1
    memref.store %cst, %arg3[%c0] : memref<6xf64>
    %c1_5 = arith.constant 1 : index
    %c1_6 = arith.constant 1 : index
    memref.store %6#0, %arg3[%c1_5] : memref<6xf64>
    %c2 = arith.constant 2 : index
    memref.store %6#2, %arg3[%c2] : memref<6xf64>
    %c3 = arith.constant 3 : index
    memref.store %cst_3, %arg3[%c3] : memref<6xf64>
    memref.store %7, %arg3[%c4] : memref<6xf64>
    %c5_7 = arith.constant 5 : index
    memref.store %9#1, %arg3[%c5_7] : memref<6xf64>
    memref.store %1, %arg4[%c0_0] : memref<4xi1>
    memref.store %6#3, %arg4[%c1_5] : memref<4xi1>
    memref.store %8, %arg4[%c2] : memref<4xi1>
    memref.store %15, %arg4[%c3] : memref<4xi1>
    memref.store %c-1_i16, %arg5[%c0_0] : memref<4xi16>
    memref.store %3, %arg5[%c1_1] : memref<4xi16>
    %c2_8 = arith.constant 2 : index
    memref.store %6#1, %arg5[%c2_8] : memref<4xi16>
    %c3_9 = arith.constant 3 : index
    memref.store %14#2, %arg5[%c3_9] : memref<4xi16>
    memref.store %c2147483647_i32, %arg6[%c0_0] : memref<2xi32>
    memref.store %9#2, %arg6[%c1_5] : memref<2xi32>
    %c0_10 = arith.constant 0 : index
    memref.store %5, %arg7[%c0_10] : memref<4xi64>
    memref.store %11, %arg7[%c1] : memref<4xi64>
    %c2_11 = arith.constant 2 : index
    memref.store %12, %arg7[%c2_11] : memref<4xi64>
    memref.store %13, %arg7[%c3] : memref<4xi64>
    memref.store %0, %arg8[%c0_4] : memref<4xi8>
    memref.store %2, %arg8[%c1] : memref<4xi8>
    memref.store %9#0, %arg8[%c2] : memref<4xi8>
    memref.store %14#1, %arg8[%c3_9] : memref<4xi8>
    memref.store %c0_0, %arg9[%c0_4] : memref<6xindex>
    memref.store %c1_1, %arg9[%c1_1] : memref<6xindex>
    memref.store %c5, %arg9[%c2_8] : memref<6xindex>
    memref.store %c0_4, %arg9[%c3] : memref<6xindex>
    memref.store %10, %arg9[%c4] : memref<6xindex>
    memref.store %14#0, %arg9[%c5] : memref<6xindex>
    return
  }
}
