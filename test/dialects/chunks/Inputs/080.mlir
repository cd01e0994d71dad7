// {"kind": "blocks", "entry": "chunk80", "traits": ["blocks"], "arguments": [["a0", ["memref", [], "i32"], [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk80(%arg0: memref<i32>, %arg1: memref<2xf32> {tilewright.output}, %arg2: memref<5xf64> {tilewright.output}, %arg3: memref<5xi1> {tilewright.output}, %arg4: memref<4xi16> {tilewright.output}, %arg5: memref<3xi32> {tilewright.output}, %arg6: memref<3xi8> {tilewright.output}, %arg7: memref<5xindex> {tilewright.output}) {
    %c255_i32 = arith.constant 255 : i32
    %false = arith.constant false
    %cst = arith.constant 2.500000e+00 : f64
    %c13_i8 = arith.constant 13 : i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    cf.br ^bb1(%c0, %c255_i32, %false, %cst, %c13_i8 : index, i32, i1, f64, i8)
  ^bb1(%0: index, %1: i32, %2: i1, %3: f64, %4: i8):  // 2 preds: ^bb0, ^bb2
    %5 = arith.cmpi slt, %0, %c3 : index
    %6 = arith.cmpi slt, %0, %c3 : index
    cf.cond_br %5, ^bb2, ^bb3(%c255_i32, %5, %3, %4 : i32, i1, f64, i8)
  ^bb2:  // pred: ^bb1
    %7 = arith.addi %0, %c1 : index
    cf.br ^bb1(%7, %1, %2, %3, %4 : index, i32, i1, f64, i8)
  ^bb3(%8: i32, %9: i1, %10: f64, %11: i8):  // pred: ^bb1
    %c-1_i16 = arith.constant -1 : i16
    %12 = arith.maxsi %c-1_i16, %c-1_i16 : i16
    %13 = arith.select %9, %c-1_i16, %12 : i16
    %14 = arith.cmpi ugt, %12, %c-1_i16 : i16
    %15 = arith.subf %3, %10 : f64
    %cst_0 = arith.constant 2.500000e+00 : f32
    %16:4 = scf.while (%arg8 = %c0, %arg9 = %cst_0, %arg10 = %c-1_i16, %arg11 = %cst) : (index, f32, i16, f64) -> (index, f32, i16, f64) {
      %17 = arith.cmpi slt, %arg8, %c3 : index
      %c0_i8 = arith.constant 0 : i8
      %c0_i8_7 = arith.constant 0 : i8
      %18 = arith.andi %c0_i8, %4 : i8
      %true = arith.constant true
      %19 = arith.andi %17, %true : i1
      scf.condition(%19) %arg8, %arg9, %arg10, %arg11 : index, f32, i16, f64
    } do {
    ^bb0(%arg8: index, %arg9: f32, %arg10: i16, %arg11: f64):
      %17 = memref.load %arg0[] : memref<i32>
      %c4_i8 = arith.constant 4 : i8
      %18 = arith.remui %4, %c4_i8 : i8
      %19 = arith.remui %4, %c4_i8 : i8
      %20 = arith.addi %arg8, %c1 : index
      scf.yield %20, %arg9, %arg10, %cst : index, f32, i16, f64
    }
    memref.store %cst_0, %arg1[%c0] : memref<2xf32>
    memref.store %16#1, %arg1[%c1] : memref<2xf32>
    memref.store %cst, %arg2[%c0] : memref<5xf64>
    memref.store %3, %arg2[%c1] : memref<5xf64>
    %c2 = arith.constant 2 : index
    memref.store %10, %arg2[%c2] : memref<5xf64>
    memref.store %15, %arg2[%c3] : memref<5xf64>
    %c4 = arith.constant 4 : index
    memref.store %16#3, %arg2[%c4] : memref<5xf64>
    %c0_1 = arith.constant 0 : index
    memref.store %false, %arg3[%c0_1] : memref<5xi1>
    memref.store %2, %arg3[%c1] : memref<5xi1>
    %c2_2 = arith.constant 2 : index
    %c2_3 = arith.constant 2 : index
    memref.store %5, %arg3[%c2_2] : memref<5xi1>
    memref.store %9, %arg3[%c3] : memref<5xi1>
    %c4_4 = arith.constant 4 : index
    memref.store %14, %arg3[%c4_4] : memref<5xi1>
    memref.store %c-1_i16, %arg4[%c0] : memref<4xi16>
    memref.store %12, %arg4[%c1] : memref<4xi16>
    memref.store %13, %arg4[%c2_2] : memref<4xi16>
    memref.store %16#2, %arg4[%c3] : memref<4xi16>
    memref.store %c255_i32, %arg5[%c0_1] : memref<3xi32>
    memref.store %1, %arg5[%c1] : memref<3xi32>
    %c2_5 = arith.constant 2 : index
    memref.store %8, %arg5[%c2_5] : memref<3xi32>
    memref.store %c13_i8, %arg6[%c0_1] : memref<3xi8>
    memref.store %4, %arg6[%c1] : memref<3xi8>
    memref.store %11, %arg6[%c2] : memref<3xi8>
    memref.store %c0, %arg7[%c0] : memref<5xindex>
    memref.store %c1, %arg7[%c1] : memref<5xindex>
    memref.store %c3, %arg7[%c2_2] : memref<5xindex>
    memref.store %0, %arg7[%c3] : memref<5xindex>
    %c4_6 = arith.constant 4 : index
    memref.store %16#0, %arg7[%c4_6] : memref<5xindex>
    return
  }
}
