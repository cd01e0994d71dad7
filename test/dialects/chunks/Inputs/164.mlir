// {"kind": "blocks", "entry": "chunk164", "traits": ["blocks"], "arguments": [["a0", ["memref", [], "i64"], [0, 0], false], ["a1", "i8", [0, 0], false], ["a2", "i16", [0, 0], false], ["a3", "i1", [0, 0], false], ["a4", "index", [0, 7], false], ["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out8", ["memref", [], "i64"], [0, 0], true]], "results": [["out_f32", ["memref", [6], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out8", ["memref", [], "i64"], [0, 0], true]]}
module {
  func.func @chunk164(%arg0: memref<i64>, %arg1: i8, %arg2: i16, %arg3: i1, %arg4: index, %arg5: memref<6xf32> {tilewright.output}, %arg6: memref<2xf64> {tilewright.output}, %arg7: memref<7xi1> {tilewright.output}, %arg8: memref<5xi16> {tilewright.output}, %arg9: memref<2xi32> {tilewright.output}, %arg10: memref<2xi64> {tilewright.output}, %arg11: memref<1xi8> {tilewright.output}, %arg12: memref<7xindex> {tilewright.output}, %arg13: memref<i64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    cf.br ^bb1(%c0, %arg3 : index, i1)
  ^bb1(%0: index, %1: i1):  // 2 preds: ^bb0, ^bb2
    %2 = arith.cmpi slt, %0, %c3 : index
    cf.cond_br %2, ^bb2, ^bb3(%2 : i1)
  ^bb2:  // pred: ^bb1
    %false = arith.constant false
    %3 = arith.maxsi %2, %false : i1
    %4 = arith.addi %0, %c1 : index
    cf.br ^bb1(%4, %1 : index, i1)
  ^bb3(%5: i1):  // pred: ^bb1
    %c1_i16 = arith.constant 1 : i16
    %6 = arith.select %2, %c1_i16, %arg2 : i16
    cf.cond_br %arg3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %c1_i64 = arith.constant 1 : i64
    %7 = arith.shrui %c1_i64, %c1_i64 : i64
    %8 = arith.cmpi sle, %arg1, %arg1 : i8
    %c7_i8 = arith.constant 7 : i8
    %9 = arith.andi %arg1, %c7_i8 : i8
    %10 = math.ipowi %9, %9 : i8
    cf.br ^bb6(%arg3, %8 : i1, i1)
  ^bb5:  // pred: ^bb3
    %11 = arith.minsi %arg4, %0 : index
    %false_0 = arith.constant false
    %false_1 = arith.constant false
    cf.br ^bb6(%5, %false_0 : i1, i1)
  ^bb6(%12: i1, %13: i1):  // 2 preds: ^bb4, ^bb5
    %cst = arith.constant -1.14273089E-27 : f32
    %c0_i32 = arith.constant 0 : i32
    %14:3 = scf.if %12 -> (f32, i16, i32) {
      %cst_8 = arith.constant -4.21471492E+28 : f32
      %c-1_i32 = arith.constant -1 : i32
      scf.yield %cst_8, %arg2, %c-1_i32 : f32, i16, i32
    } else {
      %29 = memref.load %arg0[] : memref<i64>
      %cst_8 = arith.constant -0.000000e+00 : f32
      %c-32767_i16 = arith.constant -32767 : i16
      scf.yield %cst_8, %c-32767_i16, %c0_i32 : f32, i16, i32
    }
    %15 = arith.mulf %cst, %cst : f32
    %c129_i64 = arith.constant 129 : i64
    %16 = arith.uitofp %c129_i64 : i64 to f32
    %17 = math.absf %15 : f32
    %18 = math.absf %15 : f32
    %19 = arith.extui %arg1 : i8 to i16
    %alloca = memref.alloca() : memref<i64>
    %c-201152782538955763_i64 = arith.constant -201152782538955763 : i64
    linalg.fill ins(%c-201152782538955763_i64 : i64) outs(%alloca : memref<i64>)
    memref.copy %arg0, %alloca : memref<i64> to memref<i64>
    %cst_2 = arith.constant -2.4345511398760578E+124 : f64
    %c4 = arith.constant 4 : index
    cf.br ^bb7(%c0, %cst_2, %cst : index, f64, f32)
  ^bb7(%20: index, %21: f64, %22: f32):  // 2 preds: ^bb6, ^bb8
    %23 = arith.cmpi slt, %20, %c4 : index
    cf.cond_br %23, ^bb8, ^bb9
  ^bb8:  // pred: ^bb7
    %24 = arith.cmpf true, %17, %cst : f32
    %25 = arith.addi %20, %c1 : index
    cf.br ^bb7(%25, %21, %15 : index, f64, f32)
  ^bb9:  // pred: ^bb7
    %26 = math.absf %cst : f32
    %27 = math.absf %17 : f32
    %28 = arith.minnumf %26, %27 : f32
    %c0_3 = arith.constant 0 : index
    memref.store %16, %arg5[%c0_3] : memref<6xf32>
    memref.store %17, %arg5[%c1] : memref<6xf32>
    %c2 = arith.constant 2 : index
    memref.store %22, %arg5[%c2] : memref<6xf32>
    memref.store %26, %arg5[%c3] : memref<6xf32>
    memref.store %27, %arg5[%c4] : memref<6xf32>
    %c5 = arith.constant 5 : index
    memref.store %28, %arg5[%c5] : memref<6xf32>
    memref.store %cst_2, %arg6[%c0_3] : memref<2xf64>
    memref.store %21, %arg6[%c1] : memref<2xf64>
    memref.store %arg3, %arg7[%c0] : memref<7xi1>
    memref.store %1, %arg7[%c1] : memref<7xi1>
    memref.store %2, %arg7[%c2] : memref<7xi1>
    %c3_4 = arith.constant 3 : index
    memref.store %5, %arg7[%c3_4] : memref<7xi1>
    memref.store %12, %arg7[%c4] : memref<7xi1>
    %c5_5 = arith.constant 5 : index
    memref.store %13, %arg7[%c5_5] : memref<7xi1>
    %c6 = arith.constant 6 : index
    memref.store %23, %arg7[%c6] : memref<7xi1>
    memref.store %arg2, %arg8[%c0_3] : memref<5xi16>
    memref.store %c1_i16, %arg8[%c1] : memref<5xi16>
    memref.store %6, %arg8[%c2] : memref<5xi16>
    memref.store %14#1, %arg8[%c3] : memref<5xi16>
    memref.store %19, %arg8[%c4] : memref<5xi16>
    memref.store %c0_i32, %arg9[%c0_3] : memref<2xi32>
    memref.store %14#2, %arg9[%c1] : memref<2xi32>
    memref.store %c129_i64, %arg10[%c0_3] : memref<2xi64>
    %c1_6 = arith.constant 1 : index
    memref.store %c-201152782538955763_i64, %arg10[%c1_6] : memref<2xi64>
    memref.store %arg1, %arg11[%c0_3] : memref<1xi8>
    memref.store %arg4, %arg12[%c0_3] : memref<7xindex>
    memref.store %c0, %arg12[%c1] : memref<7xindex>
    memref.store %c1, %arg12[%c2] : memref<7xindex>
    memref.store %c3, %arg12[%c3] : memref<7xindex>
    memref.store %0, %arg12[%c4] : memref<7xindex>
    memref.store %c4, %arg12[%c5_5] : memref<7xindex>
    %c6_7 = arith.constant 6 : index
    memref.store %20, %arg12[%c6_7] : memref<7xindex>
    memref.copy %alloca, %arg13 : memref<i64> to memref<i64>
    return
  }
}
