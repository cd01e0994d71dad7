// {"kind": "buffer-kernels", "entry": "chunk233", "traits": ["identity"], "arguments": [["a0", "index", [0, 7], false], ["a1", "f32", [0, 0], false], ["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [10], "index"], [0, 0], true], ["out8", ["memref", [4], "i16"], [0, 0], true], ["out9", ["memref", [3, 1, 4], "i64"], [0, 0], true], ["out10", ["memref", [1, 3, 4], "f64"], [0, 0], true]], "results": [["out_f32", ["memref", [8], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [10], "index"], [0, 0], true], ["out8", ["memref", [4], "i16"], [0, 0], true], ["out9", ["memref", [3, 1, 4], "i64"], [0, 0], true], ["out10", ["memref", [1, 3, 4], "f64"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
module {
  func.func @chunk233(%arg0: index, %arg1: f32, %arg2: memref<8xf32> {tilewright.output}, %arg3: memref<5xf64> {tilewright.output}, %arg4: memref<1xi1> {tilewright.output}, %arg5: memref<3xi16> {tilewright.output}, %arg6: memref<3xi32> {tilewright.output}, %arg7: memref<3xi64> {tilewright.output}, %arg8: memref<5xi8> {tilewright.output}, %arg9: memref<10xindex> {tilewright.output}, %arg10: memref<4xi16> {tilewright.output}, %arg11: memref<3x1x4xi64> {tilewright.output}, %arg12: memref<1x3x4xf64> {tilewright.output}) {
    %alloc = memref.alloc() : memref<1x2xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg13 = %c0 to %c1 step %c1 {
      %c2_24 = arith.constant 2 : index
      scf.for %arg14 = %c0 to %c2_24 step %c1 {
        %cst_25 = arith.constant 5.000000e-01 : f64
        memref.store %cst_25, %alloc[%arg13, %arg14] : memref<1x2xf64>
      }
    }
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%alloc : memref<1x2xf64>) {
    ^bb0(%out: f64):
      %cst_24 = arith.constant 7.000000e+00 : f64
      %15 = arith.negf %cst_24 : f64
      %c6_25 = arith.constant 6 : index
      %16 = arith.cmpi ne, %c6_25, %arg0 : index
      %c1_i32 = arith.constant 1 : i32
      %17 = arith.shli %c1_i32, %c1_i32 : i32
      linalg.yield %15 : f64
    }
    %c0_0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant 6.400000e+01 : f64
    %c9_i32 = arith.constant 9 : i32
    %0:3 = scf.for %arg13 = %c0_0 to %c3 step %c1 iter_args(%arg14 = %cst, %arg15 = %c9_i32, %arg16 = %arg1) -> (f64, i32, f32) {
      %c-3 = arith.constant -3 : index
      %c2_24 = arith.constant 2 : index
      %c2_25 = arith.constant 2 : index
      %c-6235458523182118664_i64 = arith.constant -6235458523182118664 : i64
      %c-4_i64 = arith.constant -4 : i64
      %15:3 = scf.for %arg17 = %c-3 to %arg13 step %c2_24 iter_args(%arg18 = %arg14, %arg19 = %c-6235458523182118664_i64, %arg20 = %c-4_i64) -> (f64, i64, i64) {
        scf.yield %arg14, %c-4_i64, %arg20 : f64, i64, i64
      }
      %c129_i32 = arith.constant 129 : i32
      scf.yield %15#0, %c129_i32, %arg16 : f64, i32, f32
    }
    %alloc_1 = memref.alloc() : memref<1x2xf64>
    %c1_2 = arith.constant 1 : index
    scf.for %arg13 = %c0 to %c1 step %c1_2 {
      %c2_24 = arith.constant 2 : index
      scf.for %arg14 = %c0 to %c2_24 step %c1_2 {
        memref.store %cst, %alloc_1[%arg13, %arg14] : memref<1x2xf64>
      }
    }
    %alloc_3 = memref.alloc() : memref<1x2xf64>
    %c1_4 = arith.constant 1 : index
    scf.for %arg13 = %c0 to %c1_4 step %c1_2 {
      %c2_24 = arith.constant 2 : index
      scf.for %arg14 = %c0 to %c2_24 step %c1_2 {
        %cst_25 = arith.constant 1.000000e+01 : f64
        memref.store %cst_25, %alloc_3[%arg13, %arg14] : memref<1x2xf64>
      }
    }
    linalg.sub ins(%alloc, %alloc_1 : memref<1x2xf64>, memref<1x2xf64>) outs(%alloc_3 : memref<1x2xf64>)
    %1 = arith.divf %cst, %cst : f64
    %2 = arith.divf %cst, %cst : f64
    %c1_5 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %3 = scf.for %arg13 = %c1_2 to %c4 step %c1_5 iter_args(%arg14 = %cst) -> (f64) {
      %15 = arith.addf %cst, %arg14 : f64
      %16 = arith.addf %arg1, %0#2 : f32
      %c32766_i16 = arith.constant 32766 : i16
      %17 = arith.subi %c32766_i16, %c32766_i16 : i16
      %true = arith.constant true
      %18 = arith.ori %true, %true : i1
      %alloc_24 = memref.alloc() : memref<3x1xi1>
      %c1_25 = arith.constant 1 : index
      scf.for %arg15 = %c0_0 to %c3 step %c1_25 {
        scf.for %arg16 = %c0_0 to %c1_25 step %c1_25 {
          memref.store %true, %alloc_24[%arg15, %arg16] : memref<3x1xi1>
        }
      }
      scf.yield %15 : f64
    }
    %c-2_i8 = arith.constant -2 : i8
    %4:2 = scf.for %arg13 = %c0_0 to %c3 step %c3 iter_args(%arg14 = %c-2_i8, %arg15 = %c-2_i8) -> (i8, i8) {
      %15 = arith.maximumf %arg1, %0#2 : f32
      %16 = arith.maximumf %arg1, %0#2 : f32
      %alloca = memref.alloca() : memref<1xf64>
      scf.for %arg16 = %c0_0 to %c1_4 step %c1_2 {
        memref.store %1, %alloca[%arg16] : memref<1xf64>
      }
      linalg.reduce ins(%alloc : memref<1x2xf64>) outs(%alloca : memref<1xf64>) dimensions = [1] 
        (%in: f64, %init: f64) {
          %17 = arith.mulf %in, %init : f64
          linalg.yield %17 : f64
        }
      %alloca_24 = memref.alloca() : memref<3x2xi8>
      %c1_25 = arith.constant 1 : index
      scf.for %arg16 = %c0_0 to %c3 step %c1_25 {
        %c2_30 = arith.constant 2 : index
        scf.for %arg17 = %c0_0 to %c2_30 step %c1_25 {
          memref.store %arg14, %alloca_24[%arg16, %arg17] : memref<3x2xi8>
        }
      }
      %alloc_26 = memref.alloc() : memref<2x3xi8>
      %c2_27 = arith.constant 2 : index
      scf.for %arg16 = %c0_0 to %c2_27 step %c1_25 {
        scf.for %arg17 = %c0_0 to %c3 step %c1_25 {
          memref.store %arg14, %alloc_26[%arg16, %arg17] : memref<2x3xi8>
        }
      }
      %alloc_28 = memref.alloc() : memref<3x3xi8>
      scf.for %arg16 = %c0 to %c3 step %c1 {
        scf.for %arg17 = %c0 to %c3 step %c1 {
          memref.store %arg15, %alloc_28[%arg16, %arg17] : memref<3x3xi8>
        }
      }
      linalg.matmul ins(%alloca_24, %alloc_26 : memref<3x2xi8>, memref<2x3xi8>) outs(%alloc_28 : memref<3x3xi8>)
      %alloca_29 = memref.alloca() : memref<3x2xi8>
      %c-128_i8 = arith.constant -128 : i8
      linalg.fill ins(%c-128_i8 : i8) outs(%alloca_29 : memref<3x2xi8>)
      linalg.add ins(%alloca_24, %alloca_24 : memref<3x2xi8>, memref<3x2xi8>) outs(%alloca_29 : memref<3x2xi8>)
      linalg.copy ins(%alloc_1 : memref<1x2xf64>) outs(%alloc : memref<1x2xf64>)
      scf.yield %c-128_i8, %c-128_i8 : i8, i8
    }
    %alloc_6 = memref.alloc() : memref<4xi16>
    %c-4_i16 = arith.constant -4 : i16
    linalg.fill ins(%c-4_i16 : i16) outs(%alloc_6 : memref<4xi16>)
    %alloc_7 = memref.alloc() : memref<3x1x4xi64>
    %c9_i64 = arith.constant 9 : i64
    linalg.fill ins(%c9_i64 : i64) outs(%alloc_7 : memref<3x1x4xi64>)
    %alloc_8 = memref.alloc() : memref<1x3x4xf64>
    %cst_9 = arith.constant 1.250000e-01 : f64
    linalg.fill ins(%cst_9 : f64) outs(%alloc_8 : memref<1x3x4xf64>)
    linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%alloc_6, %alloc_7 : memref<4xi16>, memref<3x1x4xi64>) outs(%alloc_8 : memref<1x3x4xf64>) {
    ^bb0(%in: i16, %in_24: i64, %out: f64):
      %15 = linalg.index 2 : index
      linalg.yield %cst_9 : f64
    }
    %c-2_i8_10 = arith.constant -2 : i8
    %5 = arith.minui %4#0, %c-2_i8_10 : i8
    %c9_i16 = arith.constant 9 : i16
    %c0_11 = arith.constant 0 : index
    %6:4 = scf.while (%arg13 = %c0_11, %arg14 = %c9_i64, %arg15 = %c9_i16, %arg16 = %c9_i64) : (index, i64, i16, i64) -> (index, i64, i16, i64) {
      %15 = arith.cmpi slt, %arg13, %c4 : index
      scf.condition(%15) %arg13, %arg14, %arg15, %arg16 : index, i64, i16, i64
    } do {
    ^bb0(%arg13: index, %arg14: i64, %arg15: i16, %arg16: i64):
      %alloca = memref.alloca() : memref<1x4xi16>
      %c0_24 = arith.constant 0 : index
      scf.for %arg17 = %c0_24 to %c1_2 step %c1_4 {
        scf.for %arg18 = %c0_24 to %c4 step %c1_4 {
          %c-3_i16 = arith.constant -3 : i16
          memref.store %c-3_i16, %alloca[%arg17, %arg18] : memref<1x4xi16>
        }
      }
      linalg.fill ins(%arg15 : i16) outs(%alloca : memref<1x4xi16>)
      %alloc_25 = memref.alloc() : memref<1xf64>
      scf.for %arg17 = %c0_24 to %c1_2 step %c1_2 {
        memref.store %3, %alloc_25[%arg17] : memref<1xf64>
      }
      linalg.reduce ins(%alloc_3 : memref<1x2xf64>) outs(%alloc_25 : memref<1xf64>) dimensions = [1] 
        (%in: f64, %init: f64) {
          %16 = arith.maximumf %in, %init : f64
          linalg.yield %16 : f64
        }
      %15 = arith.addi %arg13, %c1_4 : index
      scf.yield %15, %c9_i64, %arg15, %arg16 : index, i64, i16, i64
    }
    %c3_12 = arith.constant 3 : index
    %7 = arith.remui %6#0, %c3_12 : index
    %8 = arith.remui %6#0, %c3_12 : index
    %9 = arith.remui %c1_5, %c1 : index
    %c2 = arith.constant 2 : index
    memref.store %6#1, %alloc_7[%7, %9, %c2] : memref<3x1x4xi64>
    linalg.transpose ins(%alloc_3 : memref<1x2xf64>) outs(%alloc : memref<1x2xf64>) permutation = [0, 1] 
    %subview = memref.subview %alloc_3[0, %c0] [1, 1] [1, 1] : memref<1x2xf64> to memref<1xf64, strided<[1], offset: ?>>
    %10 = arith.cmpf ord, %0#2, %0#2 : f32
    %cst_13 = arith.constant 1.000000e+00 : f32
    %11 = arith.select %10, %0#2, %cst_13 : f32
    %cst_14 = arith.constant -1.280000e+02 : f32
    %12 = arith.maximumf %11, %cst_14 : f32
    %cst_15 = arith.constant 1.270000e+02 : f32
    %13 = arith.minimumf %12, %cst_15 : f32
    %14 = arith.fptosi %13 : f32 to i32
    memref.store %arg1, %arg2[%c0_11] : memref<8xf32>
    memref.store %0#2, %arg2[%c1_4] : memref<8xf32>
    %c2_16 = arith.constant 2 : index
    memref.store %cst_13, %arg2[%c2_16] : memref<8xf32>
    memref.store %11, %arg2[%c3] : memref<8xf32>
    memref.store %cst_14, %arg2[%c4] : memref<8xf32>
    %c5 = arith.constant 5 : index
    memref.store %12, %arg2[%c5] : memref<8xf32>
    %c6 = arith.constant 6 : index
    memref.store %cst_15, %arg2[%c6] : memref<8xf32>
    %c7 = arith.constant 7 : index
    memref.store %13, %arg2[%c7] : memref<8xf32>
    memref.store %cst, %arg3[%c0_0] : memref<5xf64>
    %c1_17 = arith.constant 1 : index
    memref.store %0#0, %arg3[%c1_17] : memref<5xf64>
    memref.store %1, %arg3[%c2_16] : memref<5xf64>
    memref.store %3, %arg3[%c3_12] : memref<5xf64>
    memref.store %cst_9, %arg3[%c4] : memref<5xf64>
    memref.store %10, %arg4[%c0_11] : memref<1xi1>
    memref.store %c-4_i16, %arg5[%c0] : memref<3xi16>
    memref.store %c9_i16, %arg5[%c1_2] : memref<3xi16>
    memref.store %6#2, %arg5[%c2_16] : memref<3xi16>
    memref.store %c9_i32, %arg6[%c0] : memref<3xi32>
    memref.store %0#1, %arg6[%c1_4] : memref<3xi32>
    %c2_18 = arith.constant 2 : index
    memref.store %14, %arg6[%c2_18] : memref<3xi32>
    %c0_19 = arith.constant 0 : index
    memref.store %c9_i64, %arg7[%c0_19] : memref<3xi64>
    %c1_20 = arith.constant 1 : index
    memref.store %6#1, %arg7[%c1_20] : memref<3xi64>
    memref.store %6#3, %arg7[%c2] : memref<3xi64>
    memref.store %c-2_i8, %arg8[%c0_0] : memref<5xi8>
    memref.store %4#0, %arg8[%c1_2] : memref<5xi8>
    memref.store %4#1, %arg8[%c2_16] : memref<5xi8>
    memref.store %c-2_i8_10, %arg8[%c3_12] : memref<5xi8>
    %c4_21 = arith.constant 4 : index
    memref.store %5, %arg8[%c4_21] : memref<5xi8>
    memref.store %c0_11, %arg9[%c0] : memref<10xindex>
    memref.store %6#0, %arg9[%c1_5] : memref<10xindex>
    %c2_22 = arith.constant 2 : index
    memref.store %c3_12, %arg9[%c2_22] : memref<10xindex>
    memref.store %7, %arg9[%c3] : memref<10xindex>
    memref.store %9, %arg9[%c4_21] : memref<10xindex>
    %c5_23 = arith.constant 5 : index
    memref.store %c2, %arg9[%c5_23] : memref<10xindex>
    memref.store %arg0, %arg9[%c6] : memref<10xindex>
    memref.store %c1, %arg9[%c7] : memref<10xindex>
    %c8 = arith.constant 8 : index
    memref.store %c3, %arg9[%c8] : memref<10xindex>
    %c9 = arith.constant 9 : index
    memref.store %c1_4, %arg9[%c9] : memref<10xindex>
    memref.copy %alloc_6, %arg10 : memref<4xi16> to memref<4xi16>
    memref.copy %alloc_7, %arg11 : memref<3x1x4xi64> to memref<3x1x4xi64>
    memref.copy %alloc_8, %arg12 : memref<1x3x4xf64> to memref<1x3x4xf64>
    return
  }
}
