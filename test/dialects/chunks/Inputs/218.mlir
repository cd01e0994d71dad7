// {"kind": "loops", "entry": "chunk218", "traits": [], "arguments": [["a0", ["memref", [3, 3], "i16"], [0, 0], false], ["a1", ["memref", [], "i16"], [0, 0], false], ["a2", "f64", [0, 0], false], ["a3", "i64", [0, 0], false], ["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out8", ["memref", [2], "i8"], [0, 0], true]], "results": [["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out8", ["memref", [2], "i8"], [0, 0], true]]}
module {
  func.func @chunk218(%arg0: memref<3x3xi16>, %arg1: memref<i16>, %arg2: f64, %arg3: i64, %arg4: memref<8xf32> {tilewright.output}, %arg5: memref<1xf64> {tilewright.output}, %arg6: memref<2xi1> {tilewright.output}, %arg7: memref<1xi16> {tilewright.output}, %arg8: memref<2xi32> {tilewright.output}, %arg9: memref<1xi64> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}, %arg11: memref<4xindex> {tilewright.output}, %arg12: memref<2xi8> {tilewright.output}) {
    %cst = arith.constant -5.78183937 : f32
    %0 = arith.cmpf ord, %cst, %cst : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %1 = arith.select %0, %cst, %cst_0 : f32
    %cst_2 = arith.constant -1.280000e+02 : f32
    %2 = arith.maximumf %1, %cst_2 : f32
    %cst_3 = arith.constant 1.270000e+02 : f32
    %3 = arith.minimumf %2, %cst_3 : f32
    %4 = arith.fptosi %3 : f32 to i16
    %c-4 = arith.constant -4 : index
    %5 = scf.index_switch %c-4 -> f32 
    case -4 {
      %true = arith.constant true
      %c7_i8 = arith.constant 7 : i8
      %7:2 = scf.if %0 -> (i1, i8) {
        %8 = math.floor %arg2 : f64
        scf.yield %true, %c7_i8 : i1, i8
      } else {
        %c-1_i32 = arith.constant -1 : i32
        %8:4 = scf.if %true -> (f64, f64, i32, f64) {
          scf.yield %arg2, %arg2, %c-1_i32, %arg2 : f64, f64, i32, f64
        } else {
          %14 = arith.bitcast %c-1_i32 : i32 to f32
          %c7_i32 = arith.constant 7 : i32
          %15 = arith.andi %c-1_i32, %c7_i32 : i32
          %16 = arith.index_castui %15 : i32 to index
          %c8 = arith.constant 8 : index
          %17 = arith.ceildivui %16, %c8 : index
          %cst_9 = arith.constant 4.000000e+00 : f64
          scf.yield %arg2, %cst_9, %c7_i32, %cst_9 : f64, f64, i32, f64
        }
        %c3_i8 = arith.constant 3 : i8
        %9 = arith.andi %c3_i8, %c3_i8 : i8
        %10 = arith.andi %c3_i8, %c3_i8 : i8
        %c1_i8 = arith.constant 1 : i8
        %11 = arith.ori %9, %c1_i8 : i8
        %12 = arith.remsi %c7_i8, %11 : i8
        %13 = math.round %arg2 : f64
        scf.yield %0, %12 : i1, i8
      }
      scf.yield %cst_0 : f32
    }
    default {
      %c7_i8 = arith.constant 7 : i8
      %c7_i8_9 = arith.constant 7 : i8
      %7 = arith.andi %c7_i8, %c7_i8_9 : i8
      %8 = arith.shrui %7, %7 : i8
      %c0_i32 = arith.constant 0 : i32
      %c0_i32_10 = arith.constant 0 : i32
      %c63_i32 = arith.constant 63 : i32
      %9 = arith.andi %c0_i32, %c63_i32 : i32
      %10 = arith.index_castui %9 : i32 to index
      %cst_11 = arith.constant 0x7FC00000 : f32
      scf.yield %cst_11 : f32
    }
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %c-1 = arith.constant -1 : index
    %c128_i32 = arith.constant 128 : i32
    %alloc = memref.alloc() : memref<2xi8>
    %c-44_i8 = arith.constant -44 : i8
    linalg.fill ins(%c-44_i8 : i8) outs(%alloc : memref<2xi8>)
    %6:2 = scf.parallel (%arg13) = (%c-3) to (%c-1) step (%c1) init (%0, %c128_i32) -> (i1, i32) {
      %cst_9 = arith.constant -1.17549421E-38 : f32
      %7:4 = scf.if %0 -> (f32, i64, f32, f64) {
        %11 = arith.maxsi %c128_i32, %c128_i32 : i32
        %cst_11 = arith.constant 1.000000e+01 : f64
        scf.yield %cst_0, %arg3, %5, %cst_11 : f32, i64, f32, f64
      } else {
        %cst_11 = arith.constant 1.17549421E-38 : f32
        scf.yield %cst_2, %arg3, %cst_11, %arg2 : f32, i64, f32, f64
      }
      %cst_10 = arith.constant 1.000000e+00 : f32
      %8 = arith.minimumf %7#0, %cst_10 : f32
      %9 = arith.uitofp %4 : i16 to f32
      %10 = arith.subi %arg13, %c-3 : index
      memref.store %c-44_i8, %alloc[%10] : memref<2xi8>
      scf.reduce(%0, %c128_i32 : i1, i32) {
      ^bb0(%arg14: i1, %arg15: i1):
        %11 = arith.maxsi %arg14, %arg15 : i1
        scf.reduce.return %11 : i1
      }, {
      ^bb0(%arg14: i32, %arg15: i32):
        %11 = arith.ori %arg14, %arg15 : i32
        scf.reduce.return %11 : i32
      }
    }
    scf.for %arg13 = %c-3 to %c-1 step %c1 {
      %c112_i8 = arith.constant 112 : i8
      %7 = arith.cmpi uge, %c112_i8, %c112_i8 : i8
      %8 = arith.addf %arg2, %arg2 : f64
    }
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg4[%c0] : memref<8xf32>
    memref.store %cst_0, %arg4[%c1] : memref<8xf32>
    %c2 = arith.constant 2 : index
    %c2_4 = arith.constant 2 : index
    memref.store %1, %arg4[%c2] : memref<8xf32>
    %c3 = arith.constant 3 : index
    memref.store %cst_2, %arg4[%c3] : memref<8xf32>
    %c4 = arith.constant 4 : index
    memref.store %2, %arg4[%c4] : memref<8xf32>
    %c5 = arith.constant 5 : index
    memref.store %cst_3, %arg4[%c5] : memref<8xf32>
    %c6 = arith.constant 6 : index
    memref.store %3, %arg4[%c6] : memref<8xf32>
    %c7 = arith.constant 7 : index
    memref.store %5, %arg4[%c7] : memref<8xf32>
    memref.store %arg2, %arg5[%c0] : memref<1xf64>
    memref.store %0, %arg6[%c0] : memref<2xi1>
    memref.store %6#0, %arg6[%c1] : memref<2xi1>
    %c0_5 = arith.constant 0 : index
    memref.store %4, %arg7[%c0_5] : memref<1xi16>
    memref.store %c128_i32, %arg8[%c0] : memref<2xi32>
    memref.store %6#1, %arg8[%c1] : memref<2xi32>
    memref.store %arg3, %arg9[%c0] : memref<1xi64>
    %c0_6 = arith.constant 0 : index
    %c0_7 = arith.constant 0 : index
    memref.store %c-44_i8, %arg10[%c0_6] : memref<1xi8>
    %c0_8 = arith.constant 0 : index
    memref.store %c-4, %arg11[%c0_8] : memref<4xindex>
    memref.store %c-3, %arg11[%c1] : memref<4xindex>
    memref.store %c1, %arg11[%c2] : memref<4xindex>
    memref.store %c-1, %arg11[%c3] : memref<4xindex>
    memref.copy %alloc, %arg12 : memref<2xi8> to memref<2xi8>
    return
  }
}
