// {"kind": "calls", "entry": "chunk29", "traits": [], "arguments": [["a4", "i64", [0, 0], false], ["a5", "index", [0, 7], false], ["a6", ["memref", [1], "i64"], [0, 0], false], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]]}
module {
  func.func private @chunk29_n1() {
    %c9_i16 = arith.constant 9 : i16
    %c-2_i16 = arith.constant -2 : i16
    %0 = arith.remui %c9_i16, %c-2_i16 : i16
    return
  }
  func.func @chunk29(%arg0: i64, %arg1: index, %arg2: memref<1xi64>, %arg3: memref<7xf32> {tilewright.output}, %arg4: memref<2xf64> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<2xi16> {tilewright.output}, %arg7: memref<7xi32> {tilewright.output}, %arg8: memref<1xi64> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<1xindex> {tilewright.output}) {
    %cst = arith.constant -1.000000e+00 : f32
    %0 = arith.cmpf ord, %cst, %cst : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %1 = arith.select %0, %cst, %cst_0 : f32
    %cst_1 = arith.constant -1.280000e+02 : f32
    %cst_2 = arith.constant -1.280000e+02 : f32
    %2 = arith.maximumf %1, %cst_1 : f32
    %cst_3 = arith.constant 1.270000e+02 : f32
    %3 = arith.minimumf %2, %cst_3 : f32
    %4 = arith.fptosi %3 : f32 to i16
    call @chunk29_n1() : () -> ()
    call @chunk29_n1() : () -> ()
    call @chunk29_n1() : () -> ()
    %5 = arith.andi %4, %4 : i16
    call @chunk29_n1() : () -> ()
    %c1_i32 = arith.constant 1 : i32
    %6 = arith.cmpi ugt, %c1_i32, %c1_i32 : i32
    call @chunk29_n1() : () -> ()
    call @chunk29_n1() : () -> ()
    %c48_i8 = arith.constant 48 : i8
    %7 = arith.muli %c48_i8, %c48_i8 : i8
    call @chunk29_n1() : () -> ()
    call @chunk29_n1() : () -> ()
    %cst_4 = arith.constant -1.000000e+00 : f64
    %8 = arith.mulf %cst_4, %cst_4 : f64
    %c7_i32 = arith.constant 7 : i32
    %c-1_i32 = arith.constant -1 : i32
    %9 = arith.andi %c-1_i32, %c7_i32 : i32
    %c1_i32_5 = arith.constant 1 : i32
    %c1_i32_6 = arith.constant 1 : i32
    %10 = arith.ori %9, %c1_i32_5 : i32
    %11 = arith.remsi %c1_i32, %10 : i32
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg3[%c0] : memref<7xf32>
    %c1 = arith.constant 1 : index
    memref.store %cst_0, %arg3[%c1] : memref<7xf32>
    %c2 = arith.constant 2 : index
    memref.store %1, %arg3[%c2] : memref<7xf32>
    %c3 = arith.constant 3 : index
    %c3_7 = arith.constant 3 : index
    memref.store %cst_1, %arg3[%c3] : memref<7xf32>
    %c4 = arith.constant 4 : index
    memref.store %2, %arg3[%c4] : memref<7xf32>
    %c5 = arith.constant 5 : index
    %c5_8 = arith.constant 5 : index
    memref.store %cst_3, %arg3[%c5] : memref<7xf32>
    %c6 = arith.constant 6 : index
    memref.store %3, %arg3[%c6] : memref<7xf32>
    memref.store %cst_4, %arg4[%c0] : memref<2xf64>
    %c1_9 = arith.constant 1 : index
    memref.store %8, %arg4[%c1_9] : memref<2xf64>
    memref.store %0, %arg5[%c0] : memref<2xi1>
    %c1_10 = arith.constant 1 : index
    %c1_11 = arith.constant 1 : index
    memref.store %6, %arg5[%c1_10] : memref<2xi1>
    memref.store %4, %arg6[%c0] : memref<2xi16>
    %c1_12 = arith.constant 1 : index
    memref.store %5, %arg6[%c1_12] : memref<2xi16>
    memref.store %c1_i32, %arg7[%c0] : memref<7xi32>
    memref.store %c7_i32, %arg7[%c1_9] : memref<7xi32>
    memref.store %c-1_i32, %arg7[%c2] : memref<7xi32>
    memref.store %9, %arg7[%c3] : memref<7xi32>
    memref.store %c1_i32_5, %arg7[%c4] : memref<7xi32>
    %c5_13 = arith.constant 5 : index
    memref.store %10, %arg7[%c5_13] : memref<7xi32>
    memref.store %11, %arg7[%c6] : memref<7xi32>
    memref.store %arg0, %arg8[%c0] : memref<1xi64>
    memref.store %c48_i8, %arg9[%c0] : memref<2xi8>
    memref.store %7, %arg9[%c1_10] : memref<2xi8>
    memref.store %arg1, %arg10[%c0] : memref<1xindex>
    return
  }
}
