// {"kind": "affine", "entry": "chunk194", "traits": [], "arguments": [["a0", ["memref", [1], "i16"], [0, 0], false], ["a1", "i64", [0, 0], false], ["a2", "f32", [0, 0], false], ["a3", "f64", [0, 0], false], ["a4", ["memref", [1], "i64"], [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out8", ["memref", [1, 2, 2], "i64"], [0, 0], true], ["out9", ["memref", [1, 2, 2], "i64"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out8", ["memref", [1, 2, 2], "i64"], [0, 0], true], ["out9", ["memref", [1, 2, 2], "i64"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0)>
#set = affine_set<(d0) : (0 == 0, 1 >= 0)>
module {
  memref.global "private" constant @chunk194_n60 : memref<1xi64> = dense<5>
  func.func @chunk194(%arg0: memref<1xi16>, %arg1: i64, %arg2: f32, %arg3: f64, %arg4: memref<1xi64>, %arg5: memref<1xf32> {tilewright.output}, %arg6: memref<3xf64> {tilewright.output}, %arg7: memref<3xi1> {tilewright.output}, %arg8: memref<3xi16> {tilewright.output}, %arg9: memref<5xi32> {tilewright.output}, %arg10: memref<2xi64> {tilewright.output}, %arg11: memref<3xi8> {tilewright.output}, %arg12: memref<7xindex> {tilewright.output}, %arg13: memref<1x2x2xi64> {tilewright.output}, %arg14: memref<1x2x2xi64> {tilewright.output}) {
    %0 = arith.bitcast %arg1 : i64 to f64
    %true = arith.constant true
    %true_0 = arith.constant true
    %1 = arith.maxui %true, %true : i1
    %alloca = memref.alloca() : memref<1x2x2xi64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg15 = %c0 to %c1 step %c1 {
      %c2_6 = arith.constant 2 : index
      scf.for %arg16 = %c0 to %c2_6 step %c1 {
        %c2_7 = arith.constant 2 : index
        scf.for %arg17 = %c0 to %c2_7 step %c1 {
          memref.store %arg1, %alloca[%arg15, %arg16, %arg17] : memref<1x2x2xi64>
        }
      }
    }
    %c-711611033_i32 = arith.constant -711611033 : i32
    %c0_i8 = arith.constant 0 : i8
    %2:4 = affine.if #set(%c0) -> (i32, i8, i1, i32) {
      affine.yield %c-711611033_i32, %c0_i8, %true, %c-711611033_i32 : i32, i8, i1, i32
    } else {
      %c0_6 = arith.constant 0 : index
      %7 = memref.load %alloca[%c0_6, %c0, %c1] : memref<1x2x2xi64>
      %8 = arith.xori %7, %7 : i64
      memref.store %8, %alloca[%c0_6, %c0, %c1] : memref<1x2x2xi64>
      %c5_i8 = arith.constant 5 : i8
      affine.yield %c-711611033_i32, %c5_i8, %true, %c-711611033_i32 : i32, i8, i1, i32
    }
    %c-9341_i16 = arith.constant -9341 : i16
    %c3 = arith.constant 3 : index
    %c0_1 = arith.constant 0 : index
    %3:4 = scf.while (%arg15 = %c0_1, %arg16 = %2#3, %arg17 = %0, %arg18 = %c-9341_i16) : (index, i32, f64, i16) -> (index, i32, f64, i16) {
      %7 = arith.cmpi slt, %arg15, %c3 : index
      %c2_6 = arith.constant 2 : index
      %c1_7 = arith.constant 1 : index
      %false = arith.constant false
      %8:4 = scf.for %arg19 = %c2_6 to %arg15 step %c1_7 iter_args(%arg20 = %0, %arg21 = %c0_i8, %arg22 = %c0_i8, %arg23 = %false) -> (f64, i8, i8, i1) {
        scf.yield %arg20, %2#1, %2#1, %arg23 : f64, i8, i8, i1
      }
      %9 = arith.andi %7, %true : i1
      scf.condition(%9) %arg15, %arg16, %arg17, %arg18 : index, i32, f64, i16
    } do {
    ^bb0(%arg15: index, %arg16: i32, %arg17: f64, %arg18: i16):
      %7 = affine.apply #map(%arg15, %arg15)
      %8 = arith.addi %arg15, %c1 : index
      scf.yield %8, %2#3, %arg17, %arg18 : index, i32, f64, i16
    }
    %4 = memref.get_global @chunk194_n60 : memref<1xi64>
    %5 = affine.load %4[0] : memref<1xi64>
    %c2 = arith.constant 2 : index
    %c0_2 = arith.constant 0 : index
    %6:4 = scf.while (%arg15 = %c0_2, %arg16 = %2#0, %arg17 = %3#3, %arg18 = %c0_i8) : (index, i32, i16, i8) -> (index, i32, i16, i8) {
      %7 = arith.cmpi slt, %arg15, %c2 : index
      scf.condition(%7) %arg15, %arg16, %arg17, %arg18 : index, i32, i16, i8
    } do {
    ^bb0(%arg15: index, %arg16: i32, %arg17: i16, %arg18: i8):
      %7 = arith.addi %arg15, %c1 : index
      scf.yield %7, %c-711611033_i32, %arg17, %arg18 : index, i32, i16, i8
    }
    %alloc = memref.alloc() : memref<1x2x2xi64>
    %c1_3 = arith.constant 1 : index
    scf.for %arg15 = %c0_2 to %c1 step %c1_3 {
      scf.for %arg16 = %c0_2 to %c2 step %c1_3 {
        scf.for %arg17 = %c0_2 to %c2 step %c1_3 {
          memref.store %5, %alloc[%arg15, %arg16, %arg17] : memref<1x2x2xi64>
        }
      }
    }
    memref.copy %alloca, %alloc : memref<1x2x2xi64> to memref<1x2x2xi64>
    memref.store %arg2, %arg5[%c0_2] : memref<1xf32>
    memref.store %arg3, %arg6[%c0_1] : memref<3xf64>
    memref.store %0, %arg6[%c1_3] : memref<3xf64>
    memref.store %3#2, %arg6[%c2] : memref<3xf64>
    memref.store %true, %arg7[%c0_2] : memref<3xi1>
    memref.store %1, %arg7[%c1] : memref<3xi1>
    memref.store %2#2, %arg7[%c2] : memref<3xi1>
    memref.store %c-9341_i16, %arg8[%c0_2] : memref<3xi16>
    %c1_4 = arith.constant 1 : index
    memref.store %3#3, %arg8[%c1_4] : memref<3xi16>
    memref.store %6#2, %arg8[%c2] : memref<3xi16>
    memref.store %c-711611033_i32, %arg9[%c0_1] : memref<5xi32>
    memref.store %2#0, %arg9[%c1] : memref<5xi32>
    memref.store %2#3, %arg9[%c2] : memref<5xi32>
    memref.store %3#1, %arg9[%c3] : memref<5xi32>
    %c4 = arith.constant 4 : index
    memref.store %6#1, %arg9[%c4] : memref<5xi32>
    memref.store %arg1, %arg10[%c0] : memref<2xi64>
    memref.store %5, %arg10[%c1_3] : memref<2xi64>
    %c0_5 = arith.constant 0 : index
    memref.store %c0_i8, %arg11[%c0_5] : memref<3xi8>
    memref.store %2#1, %arg11[%c1_4] : memref<3xi8>
    memref.store %6#3, %arg11[%c2] : memref<3xi8>
    memref.store %c0_1, %arg12[%c0_5] : memref<7xindex>
    memref.store %3#0, %arg12[%c1_3] : memref<7xindex>
    memref.store %c2, %arg12[%c2] : memref<7xindex>
    memref.store %c0_2, %arg12[%c3] : memref<7xindex>
    memref.store %6#0, %arg12[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %c1_3, %arg12[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c0, %arg12[%c6] : memref<7xindex>
    memref.copy %alloca, %arg13 : memref<1x2x2xi64> to memref<1x2x2xi64>
    memref.copy %alloc, %arg14 : memref<1x2x2xi64> to memref<1x2x2xi64>
    return
  }
}
