// {"kind": "buffer-kernels", "entry": "chunk107", "traits": ["identity"], "arguments": [["a0", "index", [0, 7], false], ["a1", ["memref", [2, 1], "i8"], [0, 0], false], ["a2", "index", [0, 7], false], ["a3", ["memref", [2, 2], "f64"], [0, 0], false], ["a4", "f64", [0, 0], false], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out5", ["memref", [3, 4, 2], "i32"], [0, 0], true], ["out6", ["memref", [3, 4, 2], "i1"], [0, 0], true], ["out7", ["memref", [3, 4], "i64"], [0, 0], true]], "results": [["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out5", ["memref", [3, 4, 2], "i32"], [0, 0], true], ["out6", ["memref", [3, 4, 2], "i1"], [0, 0], true], ["out7", ["memref", [3, 4], "i64"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d0)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @chunk107(%arg0: index, %arg1: memref<2x1xi8>, %arg2: index, %arg3: memref<2x2xf64>, %arg4: f64, %arg5: memref<2xf64> {tilewright.output}, %arg6: memref<3xi1> {tilewright.output}, %arg7: memref<1xi32> {tilewright.output}, %arg8: memref<2xi8> {tilewright.output}, %arg9: memref<6xindex> {tilewright.output}, %arg10: memref<3x4x2xi32> {tilewright.output}, %arg11: memref<3x4x2xi1> {tilewright.output}, %arg12: memref<3x4xi64> {tilewright.output}) {
    %alloca = memref.alloca() : memref<2x2x4xi8>
    %c6_i8 = arith.constant 6 : i8
    linalg.fill ins(%c6_i8 : i8) outs(%alloca : memref<2x2x4xi8>)
    %alloca_0 = memref.alloca() : memref<4x2xi1>
    %true = arith.constant true
    linalg.fill ins(%true : i1) outs(%alloca_0 : memref<4x2xi1>)
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%alloca : memref<2x2x4xi8>) outs(%alloca_0 : memref<4x2xi1>) {
    ^bb0(%in: i8, %out: i1):
      %4 = arith.minui %true, %true : i1
      %5 = arith.xori %out, %4 : i1
      linalg.yield %5 : i1
    }
    %alloc = memref.alloc() : memref<2x2x4xi8>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %arg13 = %c0 to %c2 step %c1 {
      scf.for %arg14 = %c0 to %c2 step %c1 {
        %c4_12 = arith.constant 4 : index
        scf.for %arg15 = %c0 to %c4_12 step %c1 {
          memref.store %c6_i8, %alloc[%arg13, %arg14, %arg15] : memref<2x2x4xi8>
        }
      }
    }
    linalg.mul ins(%alloca, %alloca : memref<2x2x4xi8>, memref<2x2x4xi8>) outs(%alloc : memref<2x2x4xi8>)
    %0 = arith.maximumf %arg4, %arg4 : f64
    %c6 = arith.constant 6 : index
    %1:2 = scf.for %arg13 = %c1 to %c6 step %c1 iter_args(%arg14 = %true, %arg15 = %c6_i8) -> (i1, i8) {
      %4 = arith.remui %arg0, %c2 : index
      %5 = memref.load %arg1[%4, %c0] : memref<2x1xi8>
      %c4_12 = arith.constant 4 : index
      %6 = arith.remui %arg2, %c4_12 : index
      %7 = arith.remui %6, %c2 : index
      memref.store %arg14, %alloca_0[%6, %7] : memref<4x2xi1>
      %alloc_13 = memref.alloc() : memref<2x2x4xi8>
      %c0_14 = arith.constant 0 : index
      %c2_15 = arith.constant 2 : index
      scf.for %arg16 = %c0_14 to %c2_15 step %c1 {
        scf.for %arg17 = %c0_14 to %c2_15 step %c1 {
          scf.for %arg18 = %c0_14 to %c4_12 step %c1 {
            memref.store %5, %alloc_13[%arg16, %arg17, %arg18] : memref<2x2x4xi8>
          }
        }
      }
      linalg.min ins(%alloca, %alloc_13 : memref<2x2x4xi8>, memref<2x2x4xi8>) outs(%alloc : memref<2x2x4xi8>)
      %c11 = arith.constant 11 : index
      %c-1_i64 = arith.constant -1 : i64
      %8 = scf.for %arg16 = %c1 to %c11 step %c2 iter_args(%arg17 = %c-1_i64) -> (i64) {
        %alloca_17 = memref.alloca() : memref<3x4xi64>
        linalg.fill ins(%c-1_i64 : i64) outs(%alloca_17 : memref<3x4xi64>)
        %alloc_18 = memref.alloc() : memref<3x4xi8>
        linalg.fill ins(%5 : i8) outs(%alloc_18 : memref<3x4xi8>)
        %alloca_19 = memref.alloca() : memref<4x3xi8>
        linalg.fill ins(%5 : i8) outs(%alloca_19 : memref<4x3xi8>)
        %alloca_20 = memref.alloca() : memref<3xi64>
        %c0_21 = arith.constant 0 : index
        %c1_22 = arith.constant 1 : index
        %c3_23 = arith.constant 3 : index
        %c3_24 = arith.constant 3 : index
        scf.for %arg18 = %c0_21 to %c3_23 step %c1_22 {
          %c-1_i64_25 = arith.constant -1 : i64
          memref.store %c-1_i64_25, %alloca_20[%arg18] : memref<3xi64>
        }
        linalg.generic {indexing_maps = [#map2, #map2, #map3, #map4], iterator_types = ["reduction", "parallel"]} ins(%alloca_17, %alloc_18, %alloca_19 : memref<3x4xi64>, memref<3x4xi8>, memref<4x3xi8>) outs(%alloca_20 : memref<3xi64>) {
        ^bb0(%in: i64, %in_25: i8, %in_26: i8, %out: i64):
          %9 = linalg.index 0 : index
          %cst = arith.constant 2.500000e+00 : f32
          %10 = math.absf %cst : f32
          %cst_27 = arith.constant 2.93224278E-28 : f32
          %11 = math.absf %cst_27 : f32
          %12 = arith.minnumf %10, %11 : f32
          %13 = arith.muli %out, %in : i64
          linalg.yield %13 : i64
        }
        scf.yield %arg17 : i64
      }
      %alloc_16 = memref.alloc() : memref<2x1xi8>
      scf.for %arg16 = %c0 to %c2_15 step %c1 {
        scf.for %arg17 = %c0 to %c1 step %c1 {
          memref.store %5, %alloc_16[%arg16, %arg17] : memref<2x1xi8>
        }
      }
      linalg.transpose ins(%arg1 : memref<2x1xi8>) outs(%alloc_16 : memref<2x1xi8>) permutation = [0, 1] 
      scf.yield %arg14, %5 : i1, i8
    }
    %alloca_1 = memref.alloca() : memref<3x4xi32>
    %c1_2 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %arg13 = %c0 to %c3 step %c1_2 {
      %c4_12 = arith.constant 4 : index
      scf.for %arg14 = %c0 to %c4_12 step %c1_2 {
        %c0_i32 = arith.constant 0 : i32
        memref.store %c0_i32, %alloca_1[%arg13, %arg14] : memref<3x4xi32>
      }
    }
    %alloca_3 = memref.alloca() : memref<1x3x4xf64>
    %c1_4 = arith.constant 1 : index
    scf.for %arg13 = %c0 to %c1_2 step %c1_4 {
      scf.for %arg14 = %c0 to %c3 step %c1_4 {
        %c4_12 = arith.constant 4 : index
        scf.for %arg15 = %c0 to %c4_12 step %c1_4 {
          %cst = arith.constant 1.000000e+00 : f64
          memref.store %cst, %alloca_3[%arg13, %arg14, %arg15] : memref<1x3x4xf64>
        }
      }
    }
    %alloc_5 = memref.alloc() : memref<4x1xi16>
    %c4 = arith.constant 4 : index
    scf.for %arg13 = %c0 to %c4 step %c1 {
      scf.for %arg14 = %c0 to %c1 step %c1 {
        %c-129_i16 = arith.constant -129 : i16
        memref.store %c-129_i16, %alloc_5[%arg13, %arg14] : memref<4x1xi16>
      }
    }
    linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloca_1, %alloca_3 : memref<3x4xi32>, memref<1x3x4xf64>) outs(%alloc_5 : memref<4x1xi16>) {
    ^bb0(%in: i32, %in_12: f64, %out: i16):
      %4 = linalg.index 1 : index
      %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
      %5 = arith.xori %c9223372036854775807_i64, %c9223372036854775807_i64 : i64
      %6 = arith.cmpi sge, %1#1, %c6_i8 : i8
      %7 = arith.xori %out, %out : i16
      linalg.yield %7 : i16
    }
    %alloc_6 = memref.alloc() : memref<3x4x2xi32>
    %c1570383027_i32 = arith.constant 1570383027 : i32
    linalg.fill ins(%c1570383027_i32 : i32) outs(%alloc_6 : memref<3x4x2xi32>)
    %alloc_7 = memref.alloc() : memref<3x4x2xi1>
    linalg.fill ins(%true : i1) outs(%alloc_7 : memref<3x4x2xi1>)
    %alloca_8 = memref.alloca() : memref<3x4xi64>
    %c1_9 = arith.constant 1 : index
    scf.for %arg13 = %c0 to %c3 step %c1_9 {
      scf.for %arg14 = %c0 to %c4 step %c1_9 {
        %c257_i64 = arith.constant 257 : i64
        memref.store %c257_i64, %alloca_8[%arg13, %arg14] : memref<3x4xi64>
      }
    }
    linalg.generic {indexing_maps = [#map, #map, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%alloc_6, %alloc_7 : memref<3x4x2xi32>, memref<3x4x2xi1>) outs(%alloca_8 : memref<3x4xi64>) {
    ^bb0(%in: i32, %in_12: i1, %out: i64):
      %4 = arith.truncf %arg4 : f64 to f32
      %c63_i64 = arith.constant 63 : i64
      %c2147483649_i64 = arith.constant 2147483649 : i64
      %5 = arith.andi %c2147483649_i64, %c63_i64 : i64
      %c1_i64 = arith.constant 1 : i64
      %6 = arith.ori %5, %c1_i64 : i64
      %7 = arith.divui %out, %6 : i64
      %8 = arith.cmpf ord, %0, %0 : f64
      %cst = arith.constant 1.000000e+00 : f64
      %9 = arith.select %8, %0, %cst : f64
      %10 = arith.bitcast %9 : f64 to i64
      %11 = arith.addi %out, %c1_i64 : i64
      linalg.yield %11 : i64
    }
    %2 = arith.addi %true, %true : i1
    %3 = arith.remui %c2, %c2 : index
    memref.store %c6_i8, %alloca[%c0, %3, %3] : memref<2x2x4xi8>
    memref.store %arg4, %arg5[%c0] : memref<2xf64>
    memref.store %0, %arg5[%c1] : memref<2xf64>
    memref.store %true, %arg6[%c0] : memref<3xi1>
    memref.store %1#0, %arg6[%c1_9] : memref<3xi1>
    memref.store %2, %arg6[%c2] : memref<3xi1>
    memref.store %c1570383027_i32, %arg7[%c0] : memref<1xi32>
    %c0_10 = arith.constant 0 : index
    memref.store %c6_i8, %arg8[%c0_10] : memref<2xi8>
    memref.store %1#1, %arg8[%c1_9] : memref<2xi8>
    memref.store %c1_2, %arg9[%c0_10] : memref<6xindex>
    %c1_11 = arith.constant 1 : index
    memref.store %c3, %arg9[%c1_11] : memref<6xindex>
    memref.store %c1_4, %arg9[%c2] : memref<6xindex>
    memref.store %c4, %arg9[%c3] : memref<6xindex>
    memref.store %c1_9, %arg9[%c4] : memref<6xindex>
    %c5 = arith.constant 5 : index
    memref.store %3, %arg9[%c5] : memref<6xindex>
    memref.copy %alloc_6, %arg10 : memref<3x4x2xi32> to memref<3x4x2xi32>
    memref.copy %alloc_7, %arg11 : memref<3x4x2xi1> to memref<3x4x2xi1>
    memref.copy %alloca_8, %arg12 : memref<3x4xi64> to memref<3x4xi64>
    return
  }
}
