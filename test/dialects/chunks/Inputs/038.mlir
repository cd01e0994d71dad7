// {"kind": "blocks", "entry": "chunk38", "traits": ["blocks"], "arguments": [["a0", "i64", [0, 0], false], ["a1", "f64", [0, 0], false], ["a2", "i64", [0, 0], false], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [6], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk38(%arg0: i64, %arg1: f64, %arg2: i64, %arg3: memref<3xf32> {tilewright.output}, %arg4: memref<6xf64> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<4xi64> {tilewright.output}, %arg7: memref<3xi8> {tilewright.output}, %arg8: memref<4xindex> {tilewright.output}) {
    %cst = arith.constant 2.00031304 : f32
    %false = arith.constant false
    cf.cond_br %false, ^bb1, ^bb2(%cst : f32)
  ^bb1:  // pred: ^bb0
    cf.br ^bb2(%cst : f32)
  ^bb2(%0: f32):  // 2 preds: ^bb0, ^bb1
    %1 = scf.execute_region -> f64 {
      scf.yield %arg1 : f64
    }
    %c-1_i8 = arith.constant -1 : i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    cf.cond_br %false, ^bb3(%c3, %c-1_i8, %c-1_i8 : index, i8, i8), ^bb4(%c3, %c-1_i8, %c-1_i8 : index, i8, i8)
  ^bb3(%2: index, %3: i8, %4: i8):  // 2 preds: ^bb2, ^bb4
    %5 = arith.cmpi eq, %2, %c0 : index
    %6 = arith.subi %2, %c1 : index
    %c-92_i8 = arith.constant -92 : i8
    %c-92_i8_0 = arith.constant -92 : i8
    cf.cond_br %5, ^bb5(%c-92_i8, %c-92_i8 : i8, i8), ^bb4(%6, %c-92_i8, %c-92_i8 : index, i8, i8)
  ^bb4(%7: index, %8: i8, %9: i8):  // 2 preds: ^bb2, ^bb3
    %10 = arith.cmpi eq, %7, %c0 : index
    %11 = arith.subi %7, %c1 : index
    cf.cond_br %10, ^bb5(%9, %9 : i8, i8), ^bb3(%11, %9, %9 : index, i8, i8)
  ^bb5(%12: i8, %13: i8):  // 2 preds: ^bb3, ^bb4
    %14 = arith.subi %arg2, %arg2 : i64
    %c2 = arith.constant 2 : index
    scf.for %arg9 = %c1 to %c1 step %c2 {
      %c-129_i64 = arith.constant -129 : i64
      %c4_i64 = arith.constant 4 : i64
      %21 = arith.cmpi ule, %c-129_i64, %c4_i64 : i64
    }
    %cst_1 = arith.constant 1.000000e+01 : f64
    %15 = arith.cmpf ord, %cst_1, %cst_1 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %16 = arith.select %15, %cst_1, %cst_2 : f64
    %cst_3 = arith.constant -1.280000e+02 : f64
    %17 = arith.maximumf %16, %cst_3 : f64
    %cst_4 = arith.constant 1.270000e+02 : f64
    %18 = arith.minimumf %17, %cst_4 : f64
    %19 = arith.fptosi %18 : f64 to i64
    %20 = arith.sitofp %12 : i8 to f32
    memref.store %cst, %arg3[%c0] : memref<3xf32>
    memref.store %0, %arg3[%c1] : memref<3xf32>
    memref.store %20, %arg3[%c2] : memref<3xf32>
    memref.store %cst_2, %arg4[%c0] : memref<6xf64>
    memref.store %16, %arg4[%c1] : memref<6xf64>
    memref.store %cst_3, %arg4[%c2] : memref<6xf64>
    memref.store %17, %arg4[%c3] : memref<6xf64>
    %c4 = arith.constant 4 : index
    memref.store %cst_4, %arg4[%c4] : memref<6xf64>
    %c5 = arith.constant 5 : index
    memref.store %18, %arg4[%c5] : memref<6xf64>
    memref.store %false, %arg5[%c0] : memref<2xi1>
    memref.store %15, %arg5[%c1] : memref<2xi1>
    memref.store %arg0, %arg6[%c0] : memref<4xi64>
    memref.store %arg2, %arg6[%c1] : memref<4xi64>
    memref.store %14, %arg6[%c2] : memref<4xi64>
    memref.store %19, %arg6[%c3] : memref<4xi64>
    memref.store %c-1_i8, %arg7[%c0] : memref<3xi8>
    %c1_5 = arith.constant 1 : index
    memref.store %12, %arg7[%c1_5] : memref<3xi8>
    %c2_6 = arith.constant 2 : index
    memref.store %13, %arg7[%c2_6] : memref<3xi8>
    memref.store %c0, %arg8[%c0] : memref<4xindex>
    %c1_7 = arith.constant 1 : index
    memref.store %c1, %arg8[%c1_7] : memref<4xindex>
    memref.store %c3, %arg8[%c2_6] : memref<4xindex>
    memref.store %c2, %arg8[%c3] : memref<4xindex>
    return
  }
}
