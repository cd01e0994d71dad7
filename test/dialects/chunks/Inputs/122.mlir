// {"kind": "blocks", "entry": "chunk122", "traits": ["blocks", "several yields"], "arguments": [["a0", ["memref", [4, 1], "f64"], [0, 0], false], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_f64", ["memref", [7], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk122(%arg0: memref<4x1xf64>, %arg1: memref<7xf32> {tilewright.output}, %arg2: memref<7xf64> {tilewright.output}, %arg3: memref<8xi1> {tilewright.output}, %arg4: memref<4xi32> {tilewright.output}, %arg5: memref<6xi8> {tilewright.output}, %arg6: memref<6xindex> {tilewright.output}) {
    %c5_i8 = arith.constant 5 : i8
    %0 = arith.uitofp %c5_i8 : i8 to f32
    %1 = arith.uitofp %c5_i8 : i8 to f32
    %false = arith.constant false
    %2 = arith.maxui %false, %false : i1
    %c-5_i32 = arith.constant -5 : i32
    %cst = arith.constant -1.000000e+00 : f64
    %3:2 = scf.if %false -> (i32, f64) {
      %59 = scf.execute_region -> i1 {
        cf.cond_br %false, ^bb1(%2 : i1), ^bb2
      ^bb1(%62: i1):  // pred: ^bb0
        scf.yield %62 : i1
      ^bb2:  // pred: ^bb0
        %63 = arith.extui %c5_i8 : i8 to i16
        %64 = arith.select %false, %c5_i8, %c5_i8 : i8
        scf.yield %2 : i1
      }
      %c-9223372036854775807_i64 = arith.constant -9223372036854775807 : i64
      %c63_i64 = arith.constant 63 : i64
      %60 = arith.andi %c-9223372036854775807_i64, %c63_i64 : i64
      %61 = arith.shli %c-9223372036854775807_i64, %60 : i64
      scf.yield %c-5_i32, %cst : i32, f64
    } else {
      scf.yield %c-5_i32, %cst : i32, f64
    }
    %c-4_i8 = arith.constant -4 : i8
    %c2_i32 = arith.constant 2 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0, %c-4_i8, %cst, %3#0 : index, i8, f64, i32)
  ^bb1(%4: index, %5: i8, %6: f64, %7: i32):  // 2 preds: ^bb0, ^bb2
    %8 = arith.cmpi slt, %4, %c0 : index
    cf.cond_br %8, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %9 = arith.addi %4, %c1 : index
    %10 = arith.addi %4, %c1 : index
    cf.br ^bb1(%9, %5, %6, %7 : index, i8, f64, i32)
  ^bb3:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant -0.000000e+00 : f32
    cf.cond_br %8, ^bb4(%c1, %c-4_i8, %cst, %0, %0, %c-4_i8, %6, %0, %0 : index, i8, f64, f32, f32, i8, f64, f32, f32), ^bb5(%c1, %5, %3#1, %0, %0, %5, %cst, %cst_1, %cst_1 : index, i8, f64, f32, f32, i8, f64, f32, f32)
  ^bb4(%11: index, %12: i8, %13: f64, %14: f32, %15: f32, %16: i8, %17: f64, %18: f32, %19: f32):  // 2 preds: ^bb3, ^bb5
    %20 = arith.cmpi eq, %11, %c0_0 : index
    %21 = arith.subi %11, %c1 : index
    %cst_2 = arith.constant -3.750000e-01 : f32
    %c126_i8 = arith.constant 126 : i8
    %cst_3 = arith.constant 1.17549421E-38 : f32
    cf.cond_br %20, ^bb6(%c5_i8, %17, %14, %cst_2, %c126_i8, %13, %18, %cst_3 : i8, f64, f32, f32, i8, f64, f32, f32), ^bb5(%21, %c5_i8, %17, %14, %cst_2, %c126_i8, %13, %18, %cst_3 : index, i8, f64, f32, f32, i8, f64, f32, f32)
  ^bb5(%22: index, %23: i8, %24: f64, %25: f32, %26: f32, %27: i8, %28: f64, %29: f32, %30: f32):  // 2 preds: ^bb3, ^bb4
    %31 = arith.cmpi eq, %22, %c0_0 : index
    %32 = arith.cmpi eq, %22, %c0_0 : index
    %33 = arith.subi %22, %c1 : index
    cf.cond_br %31, ^bb6(%c5_i8, %28, %29, %0, %23, %28, %29, %26 : i8, f64, f32, f32, i8, f64, f32, f32), ^bb4(%33, %c5_i8, %28, %29, %0, %23, %28, %29, %26 : index, i8, f64, f32, f32, i8, f64, f32, f32)
  ^bb6(%34: i8, %35: f64, %36: f32, %37: f32, %38: i8, %39: f64, %40: f32, %41: f32):  // 2 preds: ^bb4, ^bb5
    %cst_4 = arith.constant -0.41674055721424597 : f64
    %42 = arith.cmpf ult, %6, %cst_4 : f64
    %43 = arith.subi %2, %42 : i1
    %c3 = arith.constant 3 : index
    cf.br ^bb7(%c0_0, %42 : index, i1)
  ^bb7(%44: index, %45: i1):  // 2 preds: ^bb6, ^bb8
    %46 = arith.cmpi slt, %44, %c3 : index
    cf.cond_br %46, ^bb8, ^bb9
  ^bb8:  // pred: ^bb7
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %47 = arith.shrui %c1_i32, %c16_i32 : i32
    %c3_i64 = arith.constant 3 : i64
    %c1_i16 = arith.constant 1 : i16
    %48:2 = scf.execute_region -> (i64, i16) {
      cf.cond_br %42, ^bb1(%c3_i64, %c1_i16 : i64, i16), ^bb2
    ^bb1(%59: i64, %60: i16):  // pred: ^bb0
      scf.yield %59, %c1_i16 : i64, i16
    ^bb2:  // pred: ^bb0
      scf.yield %c3_i64, %c1_i16 : i64, i16
    }
    %cst_5 = arith.constant -3.750000e-01 : f32
    %49 = arith.subf %cst_5, %0 : f32
    %50 = arith.addi %44, %c1 : index
    %true = arith.constant true
    cf.br ^bb7(%50, %true : index, i1)
  ^bb9:  // pred: ^bb7
    cf.cond_br %46, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %51 = arith.cmpf oge, %41, %cst_1 : f32
    %cst_6 = arith.constant -1.000000e+00 : f32
    cf.br ^bb12(%c5_i8, %cst_6 : i8, f32)
  ^bb11:  // pred: ^bb9
    cf.br ^bb12(%34, %cst_1 : i8, f32)
  ^bb12(%52: i8, %53: f32):  // 2 preds: ^bb10, ^bb11
    %cst_7 = arith.constant 0x7FC00000 : f32
    %54 = math.fma %36, %37, %cst_7 : f32
    %55 = arith.maximumf %53, %37 : f32
    %56 = arith.addf %cst_7, %40 : f32
    %cst_8 = arith.constant 2.500000e+00 : f64
    %cst_9 = arith.constant 1.000000e+01 : f64
    %57 = math.fma %cst_8, %39, %cst_9 : f64
    %58 = arith.cmpf one, %cst_8, %cst_9 : f64
    memref.store %41, %arg1[%c0_0] : memref<7xf32>
    memref.store %53, %arg1[%c1] : memref<7xf32>
    %c2 = arith.constant 2 : index
    memref.store %cst_7, %arg1[%c2] : memref<7xf32>
    memref.store %54, %arg1[%c3] : memref<7xf32>
    %c4 = arith.constant 4 : index
    memref.store %55, %arg1[%c4] : memref<7xf32>
    %c5 = arith.constant 5 : index
    memref.store %56, %arg1[%c5] : memref<7xf32>
    %c6 = arith.constant 6 : index
    memref.store %36, %arg1[%c6] : memref<7xf32>
    memref.store %35, %arg2[%c0_0] : memref<7xf64>
    memref.store %39, %arg2[%c1] : memref<7xf64>
    memref.store %cst_4, %arg2[%c2] : memref<7xf64>
    memref.store %cst_8, %arg2[%c3] : memref<7xf64>
    memref.store %cst_9, %arg2[%c4] : memref<7xf64>
    memref.store %57, %arg2[%c5] : memref<7xf64>
    memref.store %3#1, %arg2[%c6] : memref<7xf64>
    memref.store %false, %arg3[%c0_0] : memref<8xi1>
    memref.store %2, %arg3[%c1] : memref<8xi1>
    memref.store %8, %arg3[%c2] : memref<8xi1>
    memref.store %42, %arg3[%c3] : memref<8xi1>
    memref.store %43, %arg3[%c4] : memref<8xi1>
    %c5_10 = arith.constant 5 : index
    memref.store %45, %arg3[%c5_10] : memref<8xi1>
    memref.store %46, %arg3[%c6] : memref<8xi1>
    %c7 = arith.constant 7 : index
    memref.store %58, %arg3[%c7] : memref<8xi1>
    %c0_11 = arith.constant 0 : index
    memref.store %c-5_i32, %arg4[%c0_11] : memref<4xi32>
    memref.store %3#0, %arg4[%c1] : memref<4xi32>
    memref.store %c2_i32, %arg4[%c2] : memref<4xi32>
    memref.store %7, %arg4[%c3] : memref<4xi32>
    memref.store %c5_i8, %arg5[%c0] : memref<6xi8>
    memref.store %c-4_i8, %arg5[%c1] : memref<6xi8>
    memref.store %5, %arg5[%c2] : memref<6xi8>
    memref.store %34, %arg5[%c3] : memref<6xi8>
    memref.store %38, %arg5[%c4] : memref<6xi8>
    memref.store %52, %arg5[%c5] : memref<6xi8>
    memref.store %c0, %arg6[%c0_11] : memref<6xindex>
    memref.store %c1, %arg6[%c1] : memref<6xindex>
    memref.store %4, %arg6[%c2] : memref<6xindex>
    memref.store %c0_0, %arg6[%c3] : memref<6xindex>
    memref.store %c3, %arg6[%c4] : memref<6xindex>
    %c5_12 = arith.constant 5 : index
    memref.store %44, %arg6[%c5_12] : memref<6xindex>
    return
  }
}
