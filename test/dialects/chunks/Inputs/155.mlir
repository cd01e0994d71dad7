// {"kind": "calls", "entry": "chunk155", "traits": [], "arguments": [["a15", ["memref", [], "f32"], [0, 0], false], ["a16", ["memref", [1, 3], "i8"], [0, 0], false], ["a17", ["memref", [3], "i64"], [0, 0], false], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [5], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [], "i1"], [0, 0], true], ["out8", ["memref", [14, 5], "i32"], [0, 0], true]], "results": [["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [5], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [], "i1"], [0, 0], true], ["out8", ["memref", [14, 5], "i32"], [0, 0], true]]}
module {
  func.func private @chunk155_n1(%arg0: memref<2x1xi1>, %arg1: f64) -> f32 {
    %subview = memref.subview %arg0[0, 0] [1, 1] [1, 1] : memref<2x1xi1> to memref<i1, strided<[]>>
    %alloc = memref.alloc() : memref<3x3x1xf64>
    %cst = arith.constant -1.000000e+00 : f64
    linalg.fill ins(%cst : f64) outs(%alloc : memref<3x3x1xf64>)
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c0_0 = arith.constant 0 : index
    memref.store %cst, %alloc[%c0, %c2, %c0_0] : memref<3x3x1xf64>
    %c-257_i64 = arith.constant -257 : i64
    %0 = arith.addi %c-257_i64, %c-257_i64 : i64
    %c8_i16 = arith.constant 8 : i16
    %1 = arith.sitofp %c8_i16 : i16 to f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    return %cst_1 : f32
  }
  func.func @chunk155(%arg0: memref<f32>, %arg1: memref<1x3xi8>, %arg2: memref<3xi64>, %arg3: memref<1xf64> {tilewright.output}, %arg4: memref<4xi1> {tilewright.output}, %arg5: memref<5xi16> {tilewright.output}, %arg6: memref<1xi32> {tilewright.output}, %arg7: memref<5xi64> {tilewright.output}, %arg8: memref<2xi8> {tilewright.output}, %arg9: memref<7xindex> {tilewright.output}, %arg10: memref<i1> {tilewright.output}, %arg11: memref<14x5xi32> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %subview = memref.subview %arg1[%c0, 0] [1, 2] [1, 2] : memref<1x3xi8> to memref<2xi8, strided<[2], offset: ?>>
    %alloc = memref.alloc() : memref<i1>
    %true = arith.constant true
    linalg.fill ins(%true : i1) outs(%alloc : memref<i1>)
    %c1 = arith.constant 1 : index
    %0 = arith.index_castui %c1 : index to i64
    %c-3 = arith.constant -3 : index
    %c3 = arith.constant 3 : index
    %c11 = arith.constant 11 : index
    %c-3_0 = arith.constant -3 : index
    %c2 = arith.constant 2 : index
    %c255_i16 = arith.constant 255 : i16
    %alloca = memref.alloca() : memref<14x5xi32>
    %c-5_i32 = arith.constant -5 : i32
    linalg.fill ins(%c-5_i32 : i32) outs(%alloca : memref<14x5xi32>)
    %1:2 = scf.parallel (%arg12, %arg13) = (%c-3, %c-3_0) to (%c11, %c2) step (%c3, %c1) init (%0, %c255_i16) -> (i64, i16) {
      %11 = arith.subi %arg13, %arg13 : index
      %cst_4 = arith.constant 4.940660e-324 : f64
      %12 = arith.cmpf uno, %cst_4, %cst_4 : f64
      %13 = arith.subi %arg12, %c-3 : index
      %14 = arith.subi %arg13, %c-3_0 : index
      memref.store %c-5_i32, %alloca[%13, %14] : memref<14x5xi32>
      %c-129_i64 = arith.constant -129 : i64
      scf.reduce(%c-129_i64, %c255_i16 : i64, i16) {
      ^bb0(%arg14: i64, %arg15: i64):
        %15 = arith.addi %arg14, %arg15 : i64
        scf.reduce.return %15 : i64
      }, {
      ^bb0(%arg14: i16, %arg15: i16):
        %15 = arith.maxsi %arg14, %arg15 : i16
        scf.reduce.return %15 : i16
      }
    }
    %2 = arith.extsi %1#1 : i16 to i64
    %3 = arith.extsi %1#1 : i16 to i64
    %4 = arith.muli %2, %3 overflow<nsw> : i64
    %c7_i16 = arith.constant 7 : i16
    %5 = arith.andi %1#1, %c7_i16 : i16
    %6 = math.ipowi %1#1, %5 : i16
    %c-1_i8 = arith.constant -1 : i8
    %7 = arith.cmpi ult, %c-1_i8, %c-1_i8 : i8
    %cst = arith.constant 6.8895908064541255E-82 : f64
    %8 = arith.cmpf uge, %cst, %cst : f64
    %c-115_i8 = arith.constant -115 : i8
    %9 = arith.cmpi uge, %c-115_i8, %c-115_i8 : i8
    %10 = arith.cmpi uge, %c-115_i8, %c-115_i8 : i8
    memref.store %cst, %arg3[%c0] : memref<1xf64>
    memref.store %true, %arg4[%c0] : memref<4xi1>
    memref.store %7, %arg4[%c1] : memref<4xi1>
    memref.store %8, %arg4[%c2] : memref<4xi1>
    memref.store %9, %arg4[%c3] : memref<4xi1>
    memref.store %c255_i16, %arg5[%c0] : memref<5xi16>
    memref.store %1#1, %arg5[%c1] : memref<5xi16>
    memref.store %c7_i16, %arg5[%c2] : memref<5xi16>
    memref.store %5, %arg5[%c3] : memref<5xi16>
    %c4 = arith.constant 4 : index
    memref.store %6, %arg5[%c4] : memref<5xi16>
    memref.store %c-5_i32, %arg6[%c0] : memref<1xi32>
    memref.store %0, %arg7[%c0] : memref<5xi64>
    memref.store %1#0, %arg7[%c1] : memref<5xi64>
    %c2_1 = arith.constant 2 : index
    memref.store %2, %arg7[%c2_1] : memref<5xi64>
    memref.store %3, %arg7[%c3] : memref<5xi64>
    memref.store %4, %arg7[%c4] : memref<5xi64>
    memref.store %c-1_i8, %arg8[%c0] : memref<2xi8>
    %c1_2 = arith.constant 1 : index
    memref.store %c-115_i8, %arg8[%c1_2] : memref<2xi8>
    memref.store %c0, %arg9[%c0] : memref<7xindex>
    %c1_3 = arith.constant 1 : index
    memref.store %c1, %arg9[%c1_3] : memref<7xindex>
    memref.store %c-3, %arg9[%c2] : memref<7xindex>
    memref.store %c3, %arg9[%c3] : memref<7xindex>
    memref.store %c11, %arg9[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %c-3_0, %arg9[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c2, %arg9[%c6] : memref<7xindex>
    memref.copy %alloc, %arg10 : memref<i1> to memref<i1>
    memref.copy %alloca, %arg11 : memref<14x5xi32> to memref<14x5xi32>
    return
  }
}
