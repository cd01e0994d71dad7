// {"kind": "blocks", "entry": "chunk206", "traits": ["blocks", "several yields"], "arguments": [["a0", ["memref", [3, 3], "i32"], [0, 0], false], ["a1", "i1", [0, 0], false], ["a2", "i32", [0, 0], false], ["a3", "index", [0, 7], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [9], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [8], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [9], "f64"], [0, 0], true], ["out_i1", ["memref", [7], "i1"], [0, 0], true], ["out_i16", ["memref", [8], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
module {
  func.func @chunk206(%arg0: memref<3x3xi32>, %arg1: i1, %arg2: i32, %arg3: index, %arg4: memref<4xf32> {tilewright.output}, %arg5: memref<9xf64> {tilewright.output}, %arg6: memref<7xi1> {tilewright.output}, %arg7: memref<8xi16> {tilewright.output}, %arg8: memref<3xi32> {tilewright.output}, %arg9: memref<3xi64> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}, %arg11: memref<7xindex> {tilewright.output}) {
    %cst = arith.constant -1.000000e+00 : f32
    %c1756519773_i32 = arith.constant 1756519773 : i32
    %cst_0 = arith.constant 2.000000e+00 : f64
    %c32767_i16 = arith.constant 32767 : i16
    %0:4 = scf.execute_region -> (f32, i32, f64, i16) {
      %false_24 = arith.constant false
      %cst_25 = arith.constant -0.000000e+00 : f32
      %cst_26 = arith.constant -3.6531548446138746 : f64
      cf.cond_br %false_24, ^bb1(%cst_25, %arg2, %cst_26, %c32767_i16 : f32, i32, f64, i16), ^bb2
    ^bb1(%68: f32, %69: i32, %70: f64, %71: i16):  // pred: ^bb0
      %c-2_i64 = arith.constant -2 : i64
      %72 = arith.trunci %c-2_i64 : i64 to i32
      scf.yield %68, %69, %70, %71 : f32, i32, f64, i16
    ^bb2:  // pred: ^bb0
      %c1_27 = arith.constant 1 : index
      %subview_28 = memref.subview %arg0[0, %c1_27] [3, 2] [1, 1] : memref<3x3xi32> to memref<3x2xi32, strided<[3, 1], offset: ?>>
      %cst_29 = arith.constant 1.000000e+01 : f64
      scf.yield %cst, %arg2, %cst_29, %c32767_i16 : f32, i32, f64, i16
    }
    %c-4_i8 = arith.constant -4 : i8
    cf.switch %c-4_i8 : i8, [
      default: ^bb1,
      3: ^bb2,
      1: ^bb3,
      5: ^bb4
    ]
  ^bb1:  // pred: ^bb0
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1 = scf.while (%arg12 = %c0) : (index) -> index {
      %68 = arith.cmpi slt, %arg12, %c2 : index
      scf.condition(%68) %arg12 : index
    } do {
    ^bb0(%arg12: index):
      %c-4 = arith.constant -4 : index
      %68 = arith.cmpi ule, %arg3, %c-4 : index
      %69 = arith.addi %arg12, %c1 : index
      %70 = arith.addi %arg12, %c1 : index
      scf.yield %69 : index
    }
    %2 = arith.addf %cst_0, %0#2 : f64
    cf.br ^bb5(%2, %2 : f64, f64)
  ^bb2:  // pred: ^bb0
    %3 = arith.select %arg1, %c-4_i8, %c-4_i8 : i8
    %c-1_i64 = arith.constant -1 : i64
    %4 = arith.select %arg1, %c-1_i64, %c-1_i64 : i64
    cf.br ^bb5(%0#2, %0#2 : f64, f64)
  ^bb3:  // pred: ^bb0
    cf.br ^bb5(%0#2, %cst_0 : f64, f64)
  ^bb4:  // pred: ^bb0
    %5 = arith.cmpf oeq, %cst, %cst : f32
    %6 = math.ceil %0#2 : f64
    %7 = arith.minui %5, %arg1 : i1
    cf.br ^bb5(%6, %6 : f64, f64)
  ^bb5(%8: f64, %9: f64):  // 4 preds: ^bb1, ^bb2, ^bb3, ^bb4
    %c1_i64 = arith.constant 1 : i64
    cf.switch %c1_i64 : i64, [
      default: ^bb6,
      7: ^bb7
    ]
  ^bb6:  // pred: ^bb5
    %c-3 = arith.constant -3 : index
    %c3 = arith.constant 3 : index
    %c11 = arith.constant 11 : index
    %10:4 = scf.for %arg12 = %c-3 to %c11 step %c3 iter_args(%arg13 = %c1_i64, %arg14 = %arg1, %arg15 = %8, %arg16 = %0#3) -> (i64, i1, f64, i16) {
      %c4_i16 = arith.constant 4 : i16
      %68 = arith.addi %c32767_i16, %c4_i16 : i16
      %c0_24 = arith.constant 0 : index
      %c2_25 = arith.constant 2 : index
      scf.for %arg17 = %c0_24 to %c3 step %c2_25 {
        %71 = math.trunc %cst : f32
        %72 = arith.trunci %c32767_i16 : i16 to i8
        %73 = arith.divf %9, %arg15 : f64
        %cst_26 = arith.constant 1.99805701 : f32
        %74 = arith.divf %71, %cst_26 : f32
      }
      %69 = arith.select %arg14, %0#3, %0#3 : i16
      %70 = arith.maxsi %arg12, %arg3 : index
      scf.yield %arg13, %arg14, %0#2, %0#3 : i64, i1, f64, i16
    }
    %c1_1 = arith.constant 1 : index
    %11 = arith.remui %c11, %c1_1 : index
    %c2_2 = arith.constant 2 : index
    %c2_3 = arith.constant 2 : index
    %12 = arith.remui %arg3, %c2_2 : index
    %subview = memref.subview %arg0[%11, %12] [3, 2] [1, 1] : memref<3x3xi32> to memref<3x2xi32, strided<[3, 1], offset: ?>>
    %cst_4 = arith.constant 3.40282347E+38 : f32
    cf.br ^bb8(%cst_4 : f32)
  ^bb7:  // pred: ^bb5
    %c1_i16 = arith.constant 1 : i16
    %13 = arith.shli %c1_i16, %c1_i16 : i16
    %14 = arith.select %arg1, %c-4_i8, %c-4_i8 : i8
    %15 = arith.cmpi ult, %c1_i64, %c1_i64 : i64
    cf.br ^bb8(%0#0 : f32)
  ^bb8(%16: f32):  // 2 preds: ^bb6, ^bb7
    %c0_5 = arith.constant 0 : index
    %c1_6 = arith.constant 1 : index
    cf.cond_br %arg1, ^bb9(%c0_5, %cst_0, %c1_i64, %c32767_i16, %cst_0, %c1_i64, %0#3 : index, f64, i64, i16, f64, i64, i16), ^bb10(%c0_5, %9, %c1_i64, %c32767_i16, %9, %c1_i64, %0#3 : index, f64, i64, i16, f64, i64, i16)
  ^bb9(%17: index, %18: f64, %19: i64, %20: i16, %21: f64, %22: i64, %23: i16):  // 2 preds: ^bb8, ^bb10
    %24 = arith.cmpi eq, %17, %c0_5 : index
    %25 = arith.cmpi eq, %17, %c0_5 : index
    %26 = arith.subi %17, %c1_6 : index
    %27 = arith.subi %17, %c1_6 : index
    cf.cond_br %24, ^bb11(%21, %22, %23, %18, %19, %20 : f64, i64, i16, f64, i64, i16), ^bb10(%26, %21, %22, %23, %18, %19, %20 : index, f64, i64, i16, f64, i64, i16)
  ^bb10(%28: index, %29: f64, %30: i64, %31: i16, %32: f64, %33: i64, %34: i16):  // 2 preds: ^bb8, ^bb9
    %35 = math.fma %16, %16, %0#0 : f32
    %36 = arith.extui %c-4_i8 : i8 to i16
    %37 = arith.cmpi eq, %28, %c0_5 : index
    %38 = arith.subi %28, %c1_6 : index
    cf.cond_br %37, ^bb11(%32, %33, %34, %29, %30, %31 : f64, i64, i16, f64, i64, i16), ^bb9(%38, %32, %33, %34, %29, %30, %31 : index, f64, i64, i16, f64, i64, i16)
  ^bb11(%39: f64, %40: i64, %41: i16, %42: f64, %43: i64, %44: i16):  // 2 preds: ^bb9, ^bb10
    %45 = arith.cmpi slt, %arg1, %arg1 : i1
    %c2_7 = arith.constant 2 : index
    %c1_8 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %arg12 = %c2_7 to %c4 step %c1_8 {
      %c-1_i8 = arith.constant -1 : i8
      %68 = arith.cmpi sgt, %c-1_i8, %c-1_i8 : i8
      %cst_24 = arith.constant -2.4676343676032633 : f64
      %69 = arith.divf %cst_24, %42 : f64
      %c-8349_i16 = arith.constant -8349 : i16
      %70 = arith.cmpi ugt, %c-8349_i16, %41 : i16
    }
    %46 = arith.subi %0#3, %44 : i16
    %47 = arith.subf %8, %cst_0 : f64
    %48 = arith.cmpf oeq, %39, %47 : f64
    %49 = math.round %47 : f64
    %cst_9 = arith.constant 0.000000e+00 : f64
    %50 = arith.cmpf ord, %cst_9, %cst_9 : f64
    %cst_10 = arith.constant 1.000000e+00 : f64
    %51 = arith.select %50, %cst_9, %cst_10 : f64
    %cst_11 = arith.constant 0.000000e+00 : f64
    %52 = arith.maximumf %51, %cst_11 : f64
    %cst_12 = arith.constant 2.480000e+02 : f64
    %53 = arith.minimumf %52, %cst_12 : f64
    %54 = arith.fptoui %53 : f64 to i16
    %55 = scf.execute_region -> f32 {
      %false_24 = arith.constant false
      %cst_25 = arith.constant 1.00680576E+9 : f32
      cf.cond_br %false_24, ^bb1(%cst_25 : f32), ^bb2
    ^bb1(%68: f32):  // pred: ^bb0
      %c1_i64_26 = arith.constant 1 : i64
      %69:4 = scf.execute_region -> (i16, i64, i1, f32) {
        cf.cond_br %false_24, ^bb1(%54, %c1_i64, %false_24, %16 : i16, i64, i1, f32), ^bb2
      ^bb1(%72: i16, %73: i64, %74: i1, %75: f32):  // pred: ^bb0
        %76 = arith.select %50, %73, %c1_i64 : i64
        %77 = arith.cmpf ord, %75, %75 : f32
        %cst_27 = arith.constant 1.000000e+00 : f32
        %78 = arith.select %77, %75, %cst_27 : f32
        %79 = math.copysign %0#0, %78 : f32
        scf.yield %c32767_i16, %76, %77, %75 : i16, i64, i1, f32
      ^bb2:  // pred: ^bb0
        %cst_28 = arith.constant 2.500000e+00 : f32
        %80 = arith.select %false_24, %cst, %cst_28 : f32
        %c7425_i16 = arith.constant 7425 : i16
        scf.yield %c7425_i16, %c1_i64_26, %45, %80 : i16, i64, i1, f32
      }
      scf.yield %69#3 : f32
    ^bb2:  // pred: ^bb0
      %c9_i8 = arith.constant 9 : i8
      %70 = arith.andi %c9_i8, %c-4_i8 : i8
      %71 = arith.negf %53 : f64
      scf.yield %cst : f32
    }
    %true = arith.constant true
    %false = arith.constant false
    cf.br ^bb12(%c0_5, %arg1, %44, %44, %50 : index, i1, i16, i16, i1)
  ^bb12(%56: index, %57: i1, %58: i16, %59: i16, %60: i1):  // 2 preds: ^bb11, ^bb13
    %61 = arith.cmpi slt, %56, %c2_7 : index
    cf.cond_br %61, ^bb13, ^bb14(%true, %44, %46, %true : i1, i16, i16, i1)
  ^bb13:  // pred: ^bb12
    %62 = math.roundeven %0#2 : f64
    %63 = arith.addi %56, %c1_8 : index
    cf.br ^bb12(%63, %60, %58, %54, %60 : index, i1, i16, i16, i1)
  ^bb14(%64: i1, %65: i16, %66: i16, %67: i1):  // pred: ^bb12
    memref.store %cst, %arg4[%c0_5] : memref<4xf32>
    memref.store %0#0, %arg4[%c1_8] : memref<4xf32>
    memref.store %16, %arg4[%c2_7] : memref<4xf32>
    %c3_13 = arith.constant 3 : index
    memref.store %55, %arg4[%c3_13] : memref<4xf32>
    memref.store %cst_10, %arg5[%c0_5] : memref<9xf64>
    %c1_14 = arith.constant 1 : index
    %c1_15 = arith.constant 1 : index
    memref.store %51, %arg5[%c1_14] : memref<9xf64>
    %c2_16 = arith.constant 2 : index
    memref.store %cst_11, %arg5[%c2_16] : memref<9xf64>
    %c3_17 = arith.constant 3 : index
    memref.store %52, %arg5[%c3_17] : memref<9xf64>
    memref.store %cst_12, %arg5[%c4] : memref<9xf64>
    %c5 = arith.constant 5 : index
    %c5_18 = arith.constant 5 : index
    memref.store %53, %arg5[%c5] : memref<9xf64>
    %c6 = arith.constant 6 : index
    memref.store %0#2, %arg5[%c6] : memref<9xf64>
    %c7 = arith.constant 7 : index
    memref.store %42, %arg5[%c7] : memref<9xf64>
    %c8 = arith.constant 8 : index
    memref.store %cst_9, %arg5[%c8] : memref<9xf64>
    %c0_19 = arith.constant 0 : index
    memref.store %false, %arg6[%c0_19] : memref<7xi1>
    memref.store %57, %arg6[%c1_14] : memref<7xi1>
    memref.store %60, %arg6[%c2_7] : memref<7xi1>
    memref.store %61, %arg6[%c3_17] : memref<7xi1>
    memref.store %64, %arg6[%c4] : memref<7xi1>
    %c5_20 = arith.constant 5 : index
    memref.store %67, %arg6[%c5_20] : memref<7xi1>
    memref.store %true, %arg6[%c6] : memref<7xi1>
    memref.store %46, %arg7[%c0_19] : memref<8xi16>
    memref.store %54, %arg7[%c1_6] : memref<8xi16>
    memref.store %58, %arg7[%c2_7] : memref<8xi16>
    %c3_21 = arith.constant 3 : index
    memref.store %59, %arg7[%c3_21] : memref<8xi16>
    memref.store %65, %arg7[%c4] : memref<8xi16>
    memref.store %66, %arg7[%c5] : memref<8xi16>
    memref.store %41, %arg7[%c6] : memref<8xi16>
    memref.store %44, %arg7[%c7] : memref<8xi16>
    memref.store %arg2, %arg8[%c0_19] : memref<3xi32>
    memref.store %c1756519773_i32, %arg8[%c1_14] : memref<3xi32>
    %c2_22 = arith.constant 2 : index
    memref.store %0#1, %arg8[%c2_22] : memref<3xi32>
    memref.store %c1_i64, %arg9[%c0_5] : memref<3xi64>
    memref.store %40, %arg9[%c1_14] : memref<3xi64>
    %c2_23 = arith.constant 2 : index
    memref.store %43, %arg9[%c2_23] : memref<3xi64>
    memref.store %c-4_i8, %arg10[%c0_5] : memref<1xi8>
    memref.store %arg3, %arg11[%c0_19] : memref<7xindex>
    memref.store %c0_5, %arg11[%c1_6] : memref<7xindex>
    memref.store %c1_6, %arg11[%c2_22] : memref<7xindex>
    memref.store %c2_7, %arg11[%c3_21] : memref<7xindex>
    memref.store %c1_8, %arg11[%c4] : memref<7xindex>
    memref.store %c4, %arg11[%c5] : memref<7xindex>
    memref.store %56, %arg11[%c6] : memref<7xindex>
    return
  }
}
