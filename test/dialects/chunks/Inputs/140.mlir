// {"kind": "memory", "entry": "chunk140", "traits": [], "arguments": [["a0", ["memref", [4], "i16"], [0, 0], false], ["a1", ["memref", [1, 3, 3], "f64"], [0, 0], false], ["a2", ["memref", [], "i16"], [0, 0], false], ["a3", "i1", [0, 0], false], ["a4", "f32", [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk140(%arg0: memref<4xi16>, %arg1: memref<1x3x3xf64>, %arg2: memref<i16>, %arg3: i1, %arg4: f32, %arg5: memref<1xf32> {tilewright.output}, %arg6: memref<3xf64> {tilewright.output}, %arg7: memref<3xi1> {tilewright.output}, %arg8: memref<3xi16> {tilewright.output}, %arg9: memref<2xi32> {tilewright.output}, %arg10: memref<2xi64> {tilewright.output}, %arg11: memref<1xi8> {tilewright.output}, %arg12: memref<7xindex> {tilewright.output}) {
    %0 = arith.extui %arg3 : i1 to i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c3_i32 = arith.constant 3 : i32
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %1:2 = scf.for %arg13 = %c0 to %c5 step %c1 iter_args(%arg14 = %c3_i32, %arg15 = %cst) -> (i32, f64) {
      %10 = arith.muli %arg3, %arg3 : i1
      %11 = arith.negf %cst : f64
      %12 = math.roundeven %arg15 : f64
      %13 = math.roundeven %arg4 : f32
      %14 = math.roundeven %arg4 : f32
      %cst_8 = arith.constant 1.000000e+00 : f32
      %15 = arith.subf %arg4, %cst_8 : f32
      scf.yield %arg14, %12 : i32, f64
    }
    %2 = memref.load %arg2[] : memref<i16>
    %3:2 = scf.if %arg3 -> (i1, f64) {
      %c1_8 = arith.constant 1 : index
      %10 = memref.load %arg1[%c0, %c1, %c1_8] : memref<1x3x3xf64>
      %expand_shape = memref.expand_shape %arg0 [[0, 1]] output_shape [4, 1] : memref<4xi16> into memref<4x1xi16>
      %alloc = memref.alloc() : memref<i16>
      linalg.fill ins(%2 : i16) outs(%alloc : memref<i16>)
      memref.copy %arg2, %alloc : memref<i16> to memref<i16>
      scf.yield %arg3, %10 : i1, f64
    } else {
      %false = arith.constant false
      scf.yield %false, %1#1 : i1, f64
    }
    %4 = memref.load %arg2[] : memref<i16>
    %5 = arith.cmpf oeq, %cst, %3#1 : f64
    %6 = memref.load %arg2[] : memref<i16>
    %c3 = arith.constant 3 : index
    %7 = arith.remui %c5, %c3 : index
    %subview = memref.subview %arg1[0, %c0, %7] [1, 1, 1] [1, 1, 1] : memref<1x3x3xf64> to memref<1x1x1xf64, strided<[9, 3, 1], offset: ?>>
    %c1_1 = arith.constant 1 : index
    %8 = arith.minsi %c1_1, %7 : index
    %c-5_i64 = arith.constant -5 : i64
    %9 = math.absi %c-5_i64 : i64
    %subview_2 = memref.subview %arg1[0, %c0, 1] [1, 3, 2] [1, 1, 1] : memref<1x3x3xf64> to memref<3x2xf64, strided<[3, 1], offset: ?>>
    memref.store %arg4, %arg5[%c0] : memref<1xf32>
    memref.store %cst, %arg6[%c0] : memref<3xf64>
    memref.store %1#1, %arg6[%c1_1] : memref<3xf64>
    %c2 = arith.constant 2 : index
    memref.store %3#1, %arg6[%c2] : memref<3xf64>
    %c0_3 = arith.constant 0 : index
    memref.store %arg3, %arg7[%c0_3] : memref<3xi1>
    memref.store %3#0, %arg7[%c1_1] : memref<3xi1>
    memref.store %5, %arg7[%c2] : memref<3xi1>
    memref.store %2, %arg8[%c0] : memref<3xi16>
    memref.store %4, %arg8[%c1] : memref<3xi16>
    memref.store %6, %arg8[%c2] : memref<3xi16>
    %c0_4 = arith.constant 0 : index
    memref.store %c3_i32, %arg9[%c0_4] : memref<2xi32>
    memref.store %1#0, %arg9[%c1] : memref<2xi32>
    memref.store %c-5_i64, %arg10[%c0] : memref<2xi64>
    memref.store %9, %arg10[%c1_1] : memref<2xi64>
    memref.store %0, %arg11[%c0] : memref<1xi8>
    memref.store %c0, %arg12[%c0] : memref<7xindex>
    %c1_5 = arith.constant 1 : index
    memref.store %c1, %arg12[%c1_5] : memref<7xindex>
    memref.store %c5, %arg12[%c2] : memref<7xindex>
    %c3_6 = arith.constant 3 : index
    memref.store %c3, %arg12[%c3_6] : memref<7xindex>
    %c4 = arith.constant 4 : index
    memref.store %7, %arg12[%c4] : memref<7xindex>
    %c5_7 = arith.constant 5 : index
    memref.store %c1_1, %arg12[%c5_7] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %8, %arg12[%c6] : memref<7xindex>
    return
  }
}
