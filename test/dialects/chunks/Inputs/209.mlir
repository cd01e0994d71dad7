// {"kind": "mixed", "entry": "chunk209", "traits": ["half", "identity"], "arguments": [["a138", ["memref", [1, 1], "f32"], [0, 0], false], ["a139", "i32", [0, 0], false], ["a140", ["memref", [4, 3, 4], "i64"], [0, 0], false], ["a141", "i16", [0, 0], false], ["out_bf16", ["memref", [7], "bf16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [8], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out9", ["memref", [2, 2], "i16"], [0, 0], true], ["out10", ["memref", [2, 3], "i16"], [0, 0], true], ["out11", ["memref", [2, 3], "i16"], [0, 0], true]], "results": [["out_bf16", ["memref", [7], "bf16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [8], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out9", ["memref", [2, 2], "i16"], [0, 0], true], ["out10", ["memref", [2, 3], "i16"], [0, 0], true], ["out11", ["memref", [2, 3], "i16"], [0, 0], true]]}
#map = affine_map<(d0) -> ((d0 ceildiv 2) * -3 + 3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0) -> (d0 * 2)>
#map3 = affine_map<(d0) -> (d0 ceildiv 5)>
#map4 = affine_map<(d0) -> ((d0 * 2) floordiv 5)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1) -> (d1, d0)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0, d1) : (3 >= 0, (d1 - 1) floordiv 3 == 0)>
module {
  func.func private @chunk209_n1(%arg0: memref<4x3xi8>, %arg1: memref<4xi8>, %arg2: memref<2xf64>) -> i16 {
    %cst = arith.constant 7.000000e+00 : f32
    %cst_0 = arith.constant 1.250000e-01 : f32
    %0 = math.fma %cst, %cst, %cst_0 : f32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %1 = arith.cmpi sge, %c1, %c2 : index
    %alloc = memref.alloc() : memref<2xf64>
    %cst_1 = arith.constant -0.000000e+00 : f64
    linalg.fill ins(%cst_1 : f64) outs(%alloc : memref<2xf64>)
    linalg.transpose ins(%arg2 : memref<2xf64>) outs(%alloc : memref<2xf64>) permutation = [0] 
    %c8_i64 = arith.constant 8 : i64
    %2:3 = affine.for %arg3 = 0 to 3 iter_args(%arg4 = %c8_i64, %arg5 = %cst_0, %arg6 = %1) -> (i64, f32, i1) {
      %c7 = arith.constant 7 : index
      %4 = affine.apply #map(%c7)
      %c127_i8 = arith.constant 127 : i8
      %5 = arith.extsi %c127_i8 : i8 to i32
      %6 = arith.extsi %c127_i8 : i8 to i32
      %7 = arith.addi %5, %6 overflow<nsw> : i32
      %c7_i32 = arith.constant 7 : i32
      %8 = arith.andi %6, %c7_i32 : i32
      %9 = math.ipowi %6, %8 : i32
      affine.yield %arg4, %arg5, %arg6 : i64, f32, i1
    }
    %c8_i64_2 = arith.constant 8 : i64
    %3 = affine.for %arg3 = 1 to 2 iter_args(%arg4 = %c8_i64_2) -> (i64) {
      %alloc_3 = memref.alloc() : memref<4xi16>
      %c18066_i16 = arith.constant 18066 : i16
      linalg.fill ins(%c18066_i16 : i16) outs(%alloc_3 : memref<4xi16>)
      %alloc_4 = memref.alloc() : memref<7xbf16>
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      scf.for %arg5 = %c0 to %c7 step %c1 {
        %cst_6 = arith.constant 0x7FC0 : bf16
        memref.store %cst_6, %alloc_4[%arg5] : memref<7xbf16>
      }
      %alloca = memref.alloca() : memref<4xi32>
      %c-999604930_i32 = arith.constant -999604930 : i32
      linalg.fill ins(%c-999604930_i32 : i32) outs(%alloca : memref<4xi32>)
      linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel"]} ins(%alloc_3, %alloc_4 : memref<4xi16>, memref<7xbf16>) outs(%alloca : memref<4xi32>) {
      ^bb0(%in: i16, %in_6: bf16, %out: i32):
        %5 = arith.addi %out, %out : i32
        %6 = arith.subi %5, %5 : i32
        %c90_i8 = arith.constant 90 : i8
        %7 = math.absi %c90_i8 : i8
        %8 = arith.addi %out, %6 : i32
        linalg.yield %8 : i32
      }
      %4 = arith.minimumf %cst_1, %cst_1 : f64
      %alloc_5 = memref.alloc() : memref<4xi16>
      linalg.fill ins(%c18066_i16 : i16) outs(%alloc_5 : memref<4xi16>)
      linalg.max ins(%alloc_3, %alloc_3 : memref<4xi16>, memref<4xi16>) outs(%alloc_5 : memref<4xi16>)
      affine.yield %c8_i64_2 : i64
    }
    %c8_i16 = arith.constant 8 : i16
    return %c8_i16 : i16
  }
  func.func private @chunk209_n60(%arg0: memref<bf16>, %arg1: memref<1x4x3xi32>) {
    %c0_i8 = arith.constant 0 : i8
    %0 = arith.shrsi %c0_i8, %c0_i8 : i8
    %cst = arith.constant 5.000000e-01 : bf16
    %1 = arith.extf %cst : bf16 to f64
    %c6 = arith.constant 6 : index
    %2 = affine.apply #map3(%c6)
    %3 = affine.apply #map3(%c6)
    %4 = affine.if #set(%c6, %c6) -> f64 {
      %c-5_i64 = arith.constant -5 : i64
      %false = arith.constant false
      %5:4 = affine.for %arg2 = -2 to 5 step 2 iter_args(%arg3 = %1, %arg4 = %c-5_i64, %arg5 = %false, %arg6 = %cst) -> (f64, i64, i1, bf16) {
        %c7_i64 = arith.constant 7 : i64
        %6 = arith.andi %arg4, %c7_i64 : i64
        %c1_i64 = arith.constant 1 : i64
        %7 = arith.ori %6, %c1_i64 : i64
        %8 = arith.remui %c-5_i64, %7 : i64
        %c8_i16 = arith.constant 8 : i16
        %9:2 = scf.if %arg5 -> (f64, i16) {
          %c-3_i32 = arith.constant -3 : i32
          %c-3_i32_4 = arith.constant -3 : i32
          %c1_5 = arith.constant 1 : index
          %10 = arith.remui %2, %c1_5 : index
          %c4 = arith.constant 4 : index
          %11 = arith.remui %c6, %c4 : index
          %12 = arith.remui %c6, %c4 : index
          %c3 = arith.constant 3 : index
          %13 = arith.remui %c4, %c3 : index
          memref.store %c-3_i32, %arg1[%10, %11, %13] : memref<1x4x3xi32>
          %14 = affine.apply #map4(%13)
          %c1_6 = arith.constant 1 : index
          %15 = arith.remui %c1_5, %c1_6 : index
          %c2 = arith.constant 2 : index
          %16 = memref.load %arg1[%15, %11, %c2] : memref<1x4x3xi32>
          scf.yield %1, %c8_i16 : f64, i16
        } else {
          %c0_4 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %10 = arith.remui %c6, %c4 : index
          %c1_5 = arith.constant 1 : index
          %11 = memref.load %arg1[%c0_4, %10, %c1_5] : memref<1x4x3xi32>
          scf.yield %arg3, %c8_i16 : f64, i16
        }
        affine.yield %arg3, %arg4, %arg5, %arg6 : f64, i64, i1, bf16
      }
      %alloc_1 = memref.alloc() : memref<i1>
      %true = arith.constant true
      linalg.fill ins(%true : i1) outs(%alloc_1 : memref<i1>)
      %alloca = memref.alloca() : memref<2x1xi64>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %arg2 = %c0 to %2 step %c1 {
        scf.for %arg3 = %c0 to %c1 step %c1 {
          memref.store %5#1, %alloca[%arg2, %arg3] : memref<2x1xi64>
        }
      }
      %alloca_2 = memref.alloca() : memref<1x2xi8>
      scf.for %arg2 = %c0 to %c1 step %c1 {
        %c2 = arith.constant 2 : index
        scf.for %arg3 = %c0 to %c2 step %c1 {
          memref.store %c0_i8, %alloca_2[%arg2, %arg3] : memref<1x2xi8>
        }
      }
      %alloc_3 = memref.alloc() : memref<2xbf16>
      scf.for %arg2 = %c0 to %2 step %c1 {
        memref.store %cst, %alloc_3[%arg2] : memref<2xbf16>
      }
      linalg.generic {indexing_maps = [#map5, #map6, #map7, #map8], iterator_types = ["reduction", "parallel"]} ins(%alloc_1, %alloca, %alloca_2 : memref<i1>, memref<2x1xi64>, memref<1x2xi8>) outs(%alloc_3 : memref<2xbf16>) {
      ^bb0(%in: i1, %in_4: i64, %in_5: i8, %out: bf16):
        %6 = linalg.index 1 : index
        %true_6 = arith.constant true
        %7 = arith.select %in, %true_6, %false : i1
        %8 = arith.mulf %out, %5#3 : bf16
        linalg.yield %8 : bf16
      }
      affine.yield %5#0 : f64
    } else {
      %cst_1 = arith.constant 0.17314435122563981 : f64
      affine.yield %cst_1 : f64
    }
    %alloc = memref.alloc() : memref<f32>
    %cst_0 = arith.constant -2.500000e-01 : f32
    linalg.fill ins(%cst_0 : f32) outs(%alloc : memref<f32>)
    return
  }
  memref.global "private" constant @chunk209_n200 : memref<3x2xf16> = dense<[[-6.103520e-05, 2.500000e+00], [0.000000e+00, -1.000000e+00], [-4.316800e+04, 0.000000e+00]]>
  func.func @chunk209(%arg0: memref<1x1xf32>, %arg1: i32, %arg2: memref<4x3x4xi64>, %arg3: i16, %arg4: memref<7xbf16> {tilewright.output}, %arg5: memref<2xf32> {tilewright.output}, %arg6: memref<2xf64> {tilewright.output}, %arg7: memref<3xi1> {tilewright.output}, %arg8: memref<2xi16> {tilewright.output}, %arg9: memref<1xi32> {tilewright.output}, %arg10: memref<3xi64> {tilewright.output}, %arg11: memref<8xi8> {tilewright.output}, %arg12: memref<5xindex> {tilewright.output}, %arg13: memref<2x2xi16> {tilewright.output}, %arg14: memref<2x3xi16> {tilewright.output}, %arg15: memref<2x3xi16> {tilewright.output}) {
    %alloca = memref.alloca() : memref<1x1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg16 = %c0 to %c1 step %c1 {
      scf.for %arg17 = %c0 to %c1 step %c1 {
        %cst_17 = arith.constant -0.000000e+00 : f32
        memref.store %cst_17, %alloca[%arg16, %arg17] : memref<1x1xf32>
      }
    }
    memref.copy %arg0, %alloca : memref<1x1xf32> to memref<1x1xf32>
    %alloc = memref.alloc() : memref<1x1xf32>
    %cst = arith.constant 2.500000e+00 : f32
    linalg.fill ins(%cst : f32) outs(%alloc : memref<1x1xf32>)
    linalg.transpose ins(%alloca : memref<1x1xf32>) outs(%alloc : memref<1x1xf32>) permutation = [0, 1] 
    %c8_i8 = arith.constant 8 : i8
    %c63_i8 = arith.constant 63 : i8
    %0 = arith.andi %c8_i8, %c63_i8 : i8
    %c1_i8 = arith.constant 1 : i8
    %1 = arith.ori %0, %c1_i8 : i8
    %2 = arith.ceildivsi %c8_i8, %1 : i8
    memref.store %cst, %alloc[%c0, %c0] : memref<1x1xf32>
    %c9_i64 = arith.constant 9 : i64
    %3:2 = affine.for %arg16 = 1 to 2 step 2 iter_args(%arg17 = %cst, %arg18 = %c9_i64) -> (f32, i64) {
      affine.yield %cst, %c9_i64 : f32, i64
    }
    %cst_0 = arith.constant -1.030000e+02 : bf16
    %cst_1 = arith.constant -1.030000e+02 : bf16
    %4 = arith.cmpf ord, %cst_0, %cst_0 : bf16
    %cst_2 = arith.constant 1.000000e+00 : bf16
    %5 = arith.select %4, %cst_0, %cst_2 : bf16
    %cst_3 = arith.constant 0.000000e+00 : bf16
    %6 = arith.maximumf %5, %cst_3 : bf16
    %cst_4 = arith.constant 2.480000e+02 : bf16
    %7 = arith.minimumf %6, %cst_4 : bf16
    %8 = arith.fptoui %7 : bf16 to i8
    %expand_shape = memref.expand_shape %alloca [[0], [1, 2]] output_shape [1, 1, 1] : memref<1x1xf32> into memref<1x1x1xf32>
    %9 = arith.maxsi %4, %4 : i1
    %cst_5 = arith.constant -4.940660e-324 : f64
    %cst_6 = arith.constant -4.940660e-324 : f64
    %10 = arith.mulf %cst_5, %cst_5 : f64
    %alloc_7 = memref.alloc() : memref<2x2xi16>
    %c0_8 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    scf.for %arg16 = %c0_8 to %c2 step %c1 {
      scf.for %arg17 = %c0_8 to %c2 step %c1 {
        memref.store %arg3, %alloc_7[%arg16, %arg17] : memref<2x2xi16>
      }
    }
    %alloc_9 = memref.alloc() : memref<2x3xi16>
    scf.for %arg16 = %c0 to %c2 step %c1 {
      %c3_17 = arith.constant 3 : index
      scf.for %arg17 = %c0 to %c3_17 step %c1 {
        memref.store %arg3, %alloc_9[%arg16, %arg17] : memref<2x3xi16>
      }
    }
    %alloc_10 = memref.alloc() : memref<2x3xi16>
    linalg.fill ins(%arg3 : i16) outs(%alloc_10 : memref<2x3xi16>)
    linalg.matmul ins(%alloc_7, %alloc_9 : memref<2x2xi16>, memref<2x3xi16>) outs(%alloc_10 : memref<2x3xi16>)
    scf.if %9 {
    } else {
      %expand_shape_17 = memref.expand_shape %alloc_9 [[0, 1], [2]] output_shape [2, 1, 3] : memref<2x3xi16> into memref<2x1x3xi16>
      %alloc_18 = memref.alloc() : memref<1x1x1xf32>
      linalg.fill ins(%cst : f32) outs(%alloc_18 : memref<1x1x1xf32>)
      linalg.transpose ins(%expand_shape : memref<1x1x1xf32>) outs(%alloc_18 : memref<1x1x1xf32>) permutation = [0, 2, 1] 
      %cst_19 = arith.constant 0.000000e+00 : f32
      %c0_20 = arith.constant 0 : index
      %17 = arith.remui %c2, %c1 : index
      %18 = arith.remui %c1, %c1 : index
      memref.store %cst_19, %expand_shape[%c0_20, %17, %18] : memref<1x1x1xf32>
    }
    %11 = memref.get_global @chunk209_n200 : memref<3x2xf16>
    %c1_i8_11 = arith.constant 1 : i8
    %12 = arith.andi %c63_i8, %c1_i8_11 : i8
    %13 = arith.index_cast %12 : i8 to index
    %14 = math.absi %3#1 : i64
    %15 = arith.andi %arg3, %arg3 : i16
    %16 = arith.cmpi sgt, %13, %13 : index
    memref.store %cst_0, %arg4[%c0_8] : memref<7xbf16>
    %c1_12 = arith.constant 1 : index
    memref.store %cst_2, %arg4[%c1_12] : memref<7xbf16>
    memref.store %5, %arg4[%c2] : memref<7xbf16>
    %c3 = arith.constant 3 : index
    memref.store %cst_3, %arg4[%c3] : memref<7xbf16>
    %c4 = arith.constant 4 : index
    memref.store %6, %arg4[%c4] : memref<7xbf16>
    %c5 = arith.constant 5 : index
    memref.store %cst_4, %arg4[%c5] : memref<7xbf16>
    %c6 = arith.constant 6 : index
    memref.store %7, %arg4[%c6] : memref<7xbf16>
    %c0_13 = arith.constant 0 : index
    memref.store %cst, %arg5[%c0_13] : memref<2xf32>
    memref.store %3#0, %arg5[%c1_12] : memref<2xf32>
    %c0_14 = arith.constant 0 : index
    memref.store %cst_5, %arg6[%c0_14] : memref<2xf64>
    memref.store %10, %arg6[%c1] : memref<2xf64>
    memref.store %4, %arg7[%c0_13] : memref<3xi1>
    memref.store %9, %arg7[%c1] : memref<3xi1>
    memref.store %16, %arg7[%c2] : memref<3xi1>
    memref.store %arg3, %arg8[%c0_14] : memref<2xi16>
    memref.store %15, %arg8[%c1] : memref<2xi16>
    memref.store %arg1, %arg9[%c0] : memref<1xi32>
    memref.store %c9_i64, %arg10[%c0_8] : memref<3xi64>
    memref.store %3#1, %arg10[%c1] : memref<3xi64>
    %c2_15 = arith.constant 2 : index
    memref.store %14, %arg10[%c2_15] : memref<3xi64>
    memref.store %c1_i8, %arg11[%c0_13] : memref<8xi8>
    memref.store %1, %arg11[%c1_12] : memref<8xi8>
    memref.store %2, %arg11[%c2] : memref<8xi8>
    memref.store %8, %arg11[%c3] : memref<8xi8>
    memref.store %c1_i8_11, %arg11[%c4] : memref<8xi8>
    %c5_16 = arith.constant 5 : index
    memref.store %12, %arg11[%c5_16] : memref<8xi8>
    memref.store %c8_i8, %arg11[%c6] : memref<8xi8>
    %c7 = arith.constant 7 : index
    memref.store %c63_i8, %arg11[%c7] : memref<8xi8>
    memref.store %c0, %arg12[%c0_13] : memref<5xindex>
    memref.store %c1, %arg12[%c1_12] : memref<5xindex>
    memref.store %c0_8, %arg12[%c2_15] : memref<5xindex>
    memref.store %c2, %arg12[%c3] : memref<5xindex>
    memref.store %13, %arg12[%c4] : memref<5xindex>
    memref.copy %alloc_7, %arg13 : memref<2x2xi16> to memref<2x2xi16>
    memref.copy %alloc_9, %arg14 : memref<2x3xi16> to memref<2x3xi16>
    memref.copy %alloc_10, %arg15 : memref<2x3xi16> to memref<2x3xi16>
    return
  }
}
