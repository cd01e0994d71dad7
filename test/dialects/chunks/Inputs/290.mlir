// {"kind": "blocks", "entry": "chunk290", "traits": ["blocks"], "arguments": [["a0", "f64", [0, 0], false], ["a1", ["memref", [1, 4, 1], "i32"], [0, 0], false], ["a2", "f32", [0, 0], false], ["a3", ["memref", [4, 2], "i32"], [0, 0], false], ["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [8], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
module {
  memref.global "private" constant @chunk290_n124 : memref<3x4xf32> = dense<[[-1.000000e+00, -11.5788469, 2.500000e+00, 1.22824097E-23], [1.2269541, -0.265842468, 1.000000e+00, -3.40282347E+38], [-3.40282347E+38, -1.17549421E-38, 7.000000e+00, -4.000000e+00]]>
  func.func @chunk290(%arg0: f64, %arg1: memref<1x4x1xi32>, %arg2: f32, %arg3: memref<4x2xi32>, %arg4: memref<8xf32> {tilewright.output}, %arg5: memref<3xf64> {tilewright.output}, %arg6: memref<8xi1> {tilewright.output}, %arg7: memref<4xi16> {tilewright.output}, %arg8: memref<3xi32> {tilewright.output}, %arg9: memref<3xi64> {tilewright.output}, %arg10: memref<6xi8> {tilewright.output}, %arg11: memref<8xindex> {tilewright.output}) {
    %c-1_i16 = arith.constant -1 : i16
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %true = arith.constant true
    cf.cond_br %true, ^bb1(%c4, %c-1_i16, %c-1_i16 : index, i16, i16), ^bb2(%c4, %c-1_i16, %c-1_i16 : index, i16, i16)
  ^bb1(%0: index, %1: i16, %2: i16):  // 2 preds: ^bb0, ^bb2
    %3 = arith.cmpi eq, %0, %c0 : index
    %4 = arith.subi %0, %c1 : index
    cf.cond_br %3, ^bb3(%2, %2 : i16, i16), ^bb2(%4, %2, %2 : index, i16, i16)
  ^bb2(%5: index, %6: i16, %7: i16):  // 2 preds: ^bb0, ^bb1
    %8 = arith.minimumf %arg0, %arg0 : f64
    %9 = arith.cmpi eq, %5, %c0 : index
    %10 = arith.subi %5, %c1 : index
    cf.cond_br %9, ^bb3(%c-1_i16, %7 : i16, i16), ^bb1(%10, %c-1_i16, %7 : index, i16, i16)
  ^bb3(%11: i16, %12: i16):  // 2 preds: ^bb1, ^bb2
    %cst = arith.constant 1.000000e+01 : f32
    %13 = arith.remf %arg2, %cst : f32
    %c0_i8 = arith.constant 0 : i8
    %c6_i8 = arith.constant 6 : i8
    %c2_i8 = arith.constant 2 : i8
    %c1_i64 = arith.constant 1 : i64
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %14:4 = scf.for %arg12 = %c0_i8 to %c6_i8 step %c2_i8 iter_args(%arg13 = %c1_i64, %arg14 = %c2147483647_i32, %arg15 = %true, %arg16 = %arg0) -> (i64, i32, i1, f64)  : i8 {
      scf.yield %c1_i64, %arg14, %arg15, %arg16 : i64, i32, i1, f64
    }
    %15 = arith.mulf %arg2, %arg2 : f32
    cf.cond_br %true, ^bb4, ^bb5(%c6_i8, %true : i8, i1)
  ^bb4:  // pred: ^bb3
    %cst_0 = arith.constant -2.500000e-01 : f32
    %16 = arith.maximumf %cst_0, %arg2 : f32
    %false = arith.constant false
    %false_1 = arith.constant false
    %false_2 = arith.constant false
    %17:4 = scf.if %false -> (i1, i8, i1, f32) {
      %59 = math.absi %c2147483647_i32 : i32
      %60 = arith.sitofp %c2147483647_i32 : i32 to f32
      %61 = scf.if %14#2 -> (i16) {
        %62 = arith.cmpf uno, %14#3, %14#3 : f64
        %c-5_i16 = arith.constant -5 : i16
        %sum, %overflow = arith.addui_extended %12, %c-5_i16 : i16, i1
        %63 = math.absi %14#0 : i64
        scf.yield %sum : i16
      } else {
        scf.yield %11 : i16
      }
      scf.yield %false_1, %c6_i8, %14#2, %60 : i1, i8, i1, f32
    } else {
      %true_20 = arith.constant true
      %59 = arith.addi %true_20, %14#2 : i1
      %false_21 = arith.constant false
      scf.yield %false_21, %c6_i8, %true_20, %16 : i1, i8, i1, f32
    }
    %c9_i8 = arith.constant 9 : i8
    cf.br ^bb5(%c9_i8, %17#2 : i8, i1)
  ^bb5(%18: i8, %19: i1):  // 2 preds: ^bb3, ^bb4
    %20 = math.absf %14#3 : f64
    %c0_3 = arith.constant 0 : index
    %c1_4 = arith.constant 1 : index
    cf.cond_br %19, ^bb6(%c4, %true, %15, %true, %15 : index, i1, f32, i1, f32), ^bb7(%c4, %14#2, %arg2, %true, %cst : index, i1, f32, i1, f32)
  ^bb6(%21: index, %22: i1, %23: f32, %24: i1, %25: f32):  // 2 preds: ^bb5, ^bb7
    %26 = arith.addf %20, %20 : f64
    %27 = arith.ceildivui %21, %c1_4 : index
    %28 = arith.cmpi eq, %21, %c0_3 : index
    %29 = arith.subi %21, %c1_4 : index
    cf.cond_br %28, ^bb8(%28, %25, %22, %13 : i1, f32, i1, f32), ^bb7(%29, %28, %25, %22, %13 : index, i1, f32, i1, f32)
  ^bb7(%30: index, %31: i1, %32: f32, %33: i1, %34: f32):  // 2 preds: ^bb5, ^bb6
    %c64_i64 = arith.constant 64 : i64
    %35 = arith.ceildivui %c1_i64, %c64_i64 : i64
    %36 = arith.cmpi eq, %30, %c0_3 : index
    %37 = arith.subi %30, %c1_4 : index
    cf.cond_br %36, ^bb8(%33, %34, %31, %32 : i1, f32, i1, f32), ^bb6(%37, %33, %34, %31, %32 : index, i1, f32, i1, f32)
  ^bb8(%38: i1, %39: f32, %40: i1, %41: f32):  // 2 preds: ^bb6, ^bb7
    %c2 = arith.constant 2 : index
    cf.br ^bb9(%c0, %c1_i64, %12 : index, i64, i16)
  ^bb9(%42: index, %43: i64, %44: i16):  // 2 preds: ^bb8, ^bb10
    %45 = arith.cmpi slt, %42, %c2 : index
    cf.cond_br %45, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %cst_5 = arith.constant 0.74171120032280169 : f64
    %46 = arith.cmpf ord, %cst_5, %cst_5 : f64
    %cst_6 = arith.constant 1.000000e+00 : f64
    %47 = arith.select %46, %cst_5, %cst_6 : f64
    %48 = arith.bitcast %47 : f64 to i64
    %49 = arith.addi %42, %c1_4 : index
    cf.br ^bb9(%49, %43, %44 : index, i64, i16)
  ^bb11:  // pred: ^bb9
    %cst_7 = arith.constant -1.17549421E-38 : f32
    %50 = arith.mulf %cst_7, %13 : f32
    %false_8 = arith.constant false
    cf.cond_br %19, ^bb12, ^bb13
  ^bb12:  // pred: ^bb11
    %c8 = arith.constant 8 : index
    %c8_9 = arith.constant 8 : index
    %51 = arith.cmpi sgt, %c8, %42 : index
    %52 = arith.divf %14#3, %arg0 : f64
    cf.br ^bb14(%51 : i1)
  ^bb13:  // pred: ^bb11
    %reinterpret_cast = memref.reinterpret_cast %arg3 to offset: [1], sizes: [1, 2], strides: [1, 1] : memref<4x2xi32> to memref<1x2xi32, strided<[1, 1], offset: 1>>
    %53 = arith.maximumf %14#3, %20 : f64
    cf.br ^bb14(%19 : i1)
  ^bb14(%54: i1):  // 2 preds: ^bb12, ^bb13
    %55 = memref.get_global @chunk290_n124 : memref<3x4xf32>
    %56 = arith.minui %c2147483647_i32, %14#1 : i32
    %c6 = arith.constant 6 : index
    %57 = arith.cmpi sle, %42, %c6 : index
    %c117_i8 = arith.constant 117 : i8
    %58 = arith.select %19, %18, %c117_i8 : i8
    memref.store %arg2, %arg4[%c0] : memref<8xf32>
    memref.store %cst, %arg4[%c1_4] : memref<8xf32>
    memref.store %13, %arg4[%c2] : memref<8xf32>
    %c3 = arith.constant 3 : index
    memref.store %15, %arg4[%c3] : memref<8xf32>
    %c4_10 = arith.constant 4 : index
    memref.store %39, %arg4[%c4_10] : memref<8xf32>
    %c5 = arith.constant 5 : index
    memref.store %41, %arg4[%c5] : memref<8xf32>
    memref.store %cst_7, %arg4[%c6] : memref<8xf32>
    %c7 = arith.constant 7 : index
    memref.store %50, %arg4[%c7] : memref<8xf32>
    %c0_11 = arith.constant 0 : index
    memref.store %arg0, %arg5[%c0_11] : memref<3xf64>
    memref.store %14#3, %arg5[%c1_4] : memref<3xf64>
    %c2_12 = arith.constant 2 : index
    memref.store %20, %arg5[%c2_12] : memref<3xf64>
    %c0_13 = arith.constant 0 : index
    memref.store %38, %arg6[%c0_13] : memref<8xi1>
    memref.store %40, %arg6[%c1_4] : memref<8xi1>
    memref.store %45, %arg6[%c2_12] : memref<8xi1>
    memref.store %false_8, %arg6[%c3] : memref<8xi1>
    memref.store %54, %arg6[%c4_10] : memref<8xi1>
    memref.store %57, %arg6[%c5] : memref<8xi1>
    memref.store %true, %arg6[%c6] : memref<8xi1>
    memref.store %14#2, %arg6[%c7] : memref<8xi1>
    memref.store %c-1_i16, %arg7[%c0_13] : memref<4xi16>
    memref.store %11, %arg7[%c1] : memref<4xi16>
    memref.store %12, %arg7[%c2_12] : memref<4xi16>
    memref.store %44, %arg7[%c3] : memref<4xi16>
    memref.store %c2147483647_i32, %arg8[%c0_3] : memref<3xi32>
    memref.store %14#1, %arg8[%c1] : memref<3xi32>
    %c2_14 = arith.constant 2 : index
    memref.store %56, %arg8[%c2_14] : memref<3xi32>
    memref.store %c1_i64, %arg9[%c0_3] : memref<3xi64>
    %c1_15 = arith.constant 1 : index
    memref.store %14#0, %arg9[%c1_15] : memref<3xi64>
    memref.store %43, %arg9[%c2] : memref<3xi64>
    memref.store %c0_i8, %arg10[%c0_11] : memref<6xi8>
    %c1_16 = arith.constant 1 : index
    memref.store %c6_i8, %arg10[%c1_16] : memref<6xi8>
    %c2_17 = arith.constant 2 : index
    %c2_18 = arith.constant 2 : index
    memref.store %c2_i8, %arg10[%c2_17] : memref<6xi8>
    memref.store %18, %arg10[%c3] : memref<6xi8>
    memref.store %c117_i8, %arg10[%c4_10] : memref<6xi8>
    %c5_19 = arith.constant 5 : index
    memref.store %58, %arg10[%c5_19] : memref<6xi8>
    memref.store %c0, %arg11[%c0_11] : memref<8xindex>
    memref.store %c1, %arg11[%c1] : memref<8xindex>
    memref.store %c4, %arg11[%c2_17] : memref<8xindex>
    memref.store %c0_3, %arg11[%c3] : memref<8xindex>
    memref.store %c1_4, %arg11[%c4] : memref<8xindex>
    memref.store %c2, %arg11[%c5] : memref<8xindex>
    memref.store %42, %arg11[%c6] : memref<8xindex>
    memref.store %c6, %arg11[%c7] : memref<8xindex>
    return
  }
}
