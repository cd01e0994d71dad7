// {"kind": "buffer-kernels", "entry": "chunk275", "traits": [], "arguments": [["a0", ["memref", [1, 1, 3], "f32"], [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true], ["out6", ["memref", [4], "i16"], [0, 0], true], ["out7", ["memref", [3, 2], "i16"], [0, 0], true], ["out8", ["memref", [2], "i1"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true], ["out6", ["memref", [4], "i16"], [0, 0], true], ["out7", ["memref", [3, 2], "i16"], [0, 0], true], ["out8", ["memref", [2], "i1"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> (d0 * 2)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @chunk275(%arg0: memref<1x1x3xf32>, %arg1: memref<4xf32> {tilewright.output}, %arg2: memref<2xf64> {tilewright.output}, %arg3: memref<1xi1> {tilewright.output}, %arg4: memref<1xi16> {tilewright.output}, %arg5: memref<1xi32> {tilewright.output}, %arg6: memref<8xindex> {tilewright.output}, %arg7: memref<4xi16> {tilewright.output}, %arg8: memref<3x2xi16> {tilewright.output}, %arg9: memref<2xi1> {tilewright.output}) {
    %alloc = memref.alloc() : memref<1x1x3xf32>
    %cst = arith.constant -8.000000e+00 : f32
    linalg.fill ins(%cst : f32) outs(%alloc : memref<1x1x3xf32>)
    %alloc_0 = memref.alloc() : memref<1x1x3xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    scf.for %arg10 = %c0 to %c1_1 step %c1 {
      scf.for %arg11 = %c0 to %c1 step %c1 {
        %c3_16 = arith.constant 3 : index
        scf.for %arg12 = %c0 to %c3_16 step %c1 {
          memref.store %cst, %alloc_0[%arg10, %arg11, %arg12] : memref<1x1x3xf32>
        }
      }
    }
    linalg.min ins(%arg0, %alloc : memref<1x1x3xf32>, memref<1x1x3xf32>) outs(%alloc_0 : memref<1x1x3xf32>)
    %alloca = memref.alloca() : memref<3x4xi8>
    %c3 = arith.constant 3 : index
    scf.for %arg10 = %c0 to %c3 step %c1_1 {
      %c4_16 = arith.constant 4 : index
      scf.for %arg11 = %c0 to %c4_16 step %c1_1 {
        %c-2_i8 = arith.constant -2 : i8
        memref.store %c-2_i8, %alloca[%arg10, %arg11] : memref<3x4xi8>
      }
    }
    %alloca_2 = memref.alloca() : memref<4x3xf64>
    %c4 = arith.constant 4 : index
    scf.for %arg10 = %c0 to %c4 step %c1_1 {
      %c3_16 = arith.constant 3 : index
      scf.for %arg11 = %c0 to %c3_16 step %c1_1 {
        %cst_17 = arith.constant -7.9517466022732093E+197 : f64
        memref.store %cst_17, %alloca_2[%arg10, %arg11] : memref<4x3xf64>
      }
    }
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloca : memref<3x4xi8>) outs(%alloca_2 : memref<4x3xf64>) {
    ^bb0(%in: i8, %out: f64):
      %c2_i64 = arith.constant 2 : i64
      %c3_i64 = arith.constant 3 : i64
      %5 = arith.andi %c2_i64, %c3_i64 : i64
      %c1_i64 = arith.constant 1 : i64
      %c1_i64_16 = arith.constant 1 : i64
      %6 = arith.ori %5, %c1_i64 : i64
      %7 = arith.remsi %c2_i64, %6 : i64
      %8 = arith.maxui %c2_i64, %5 : i64
      %9 = arith.addf %out, %out : f64
      linalg.yield %9 : f64
    }
    %0 = memref.load %alloc[%c0, %c0, %c0] : memref<1x1x3xf32>
    %c-1043_i16 = arith.constant -1043 : i16
    %1 = arith.uitofp %c-1043_i16 : i16 to f32
    %2 = memref.load %alloc[%c0, %c0, %c0] : memref<1x1x3xf32>
    %alloca_3 = memref.alloca() : memref<1x1x3xf32>
    linalg.fill ins(%0 : f32) outs(%alloca_3 : memref<1x1x3xf32>)
    linalg.mul ins(%alloc, %alloca_3 : memref<1x1x3xf32>, memref<1x1x3xf32>) outs(%alloc_0 : memref<1x1x3xf32>)
    %3 = arith.extui %c-1043_i16 : i16 to i32
    %cst_4 = arith.constant -0.35428147843898006 : f64
    %4 = arith.subf %cst_4, %cst_4 : f64
    %alloca_5 = memref.alloca() : memref<1x1x3xf32>
    %c1_6 = arith.constant 1 : index
    scf.for %arg10 = %c0 to %c1_1 step %c1_6 {
      scf.for %arg11 = %c0 to %c1 step %c1_6 {
        scf.for %arg12 = %c0 to %c3 step %c1_6 {
          memref.store %1, %alloca_5[%arg10, %arg11, %arg12] : memref<1x1x3xf32>
        }
      }
    }
    linalg.max ins(%alloca_3, %arg0 : memref<1x1x3xf32>, memref<1x1x3xf32>) outs(%alloca_5 : memref<1x1x3xf32>)
    linalg.copy ins(%alloc : memref<1x1x3xf32>) outs(%alloca_3 : memref<1x1x3xf32>)
    %alloca_7 = memref.alloca() : memref<4xf64>
    scf.for %arg10 = %c0 to %c4 step %c1 {
      memref.store %cst_4, %alloca_7[%arg10] : memref<4xf64>
    }
    %alloc_8 = memref.alloc() : memref<4xi16>
    %c0_9 = arith.constant 0 : index
    scf.for %arg10 = %c0_9 to %c4 step %c1_6 {
      memref.store %c-1043_i16, %alloc_8[%arg10] : memref<4xi16>
    }
    %alloca_10 = memref.alloca() : memref<7xf32>
    linalg.fill ins(%0 : f32) outs(%alloca_10 : memref<7xf32>)
    %alloc_11 = memref.alloc() : memref<4xi64>
    scf.for %arg10 = %c0_9 to %c4 step %c1 {
      %c0_i64 = arith.constant 0 : i64
      memref.store %c0_i64, %alloc_11[%arg10] : memref<4xi64>
    }
    %alloc_12 = memref.alloc() : memref<4xi16>
    linalg.fill ins(%c-1043_i16 : i16) outs(%alloc_12 : memref<4xi16>)
    linalg.generic {indexing_maps = [#map2, #map2, #map3, #map2, #map2], iterator_types = ["parallel"]} ins(%alloca_7, %alloc_8, %alloca_10, %alloc_11 : memref<4xf64>, memref<4xi16>, memref<7xf32>, memref<4xi64>) outs(%alloc_12 : memref<4xi16>) {
    ^bb0(%in: f64, %in_16: i16, %in_17: f32, %in_18: i64, %out: i16):
      linalg.yield %in_16 : i16
    }
    %c2 = arith.constant 2 : index
    memref.store %4, %alloca_2[%c3, %c2] : memref<4x3xf64>
    %alloc_13 = memref.alloc() : memref<3x2xi16>
    scf.for %arg10 = %c0_9 to %c3 step %c1_1 {
      scf.for %arg11 = %c0_9 to %c2 step %c1_1 {
        memref.store %c-1043_i16, %alloc_13[%arg10, %arg11] : memref<3x2xi16>
      }
    }
    %alloc_14 = memref.alloc() : memref<2xi1>
    %false = arith.constant false
    linalg.fill ins(%false : i1) outs(%alloc_14 : memref<2xi1>)
    linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "parallel"]} ins(%alloc_13 : memref<3x2xi16>) outs(%alloc_14 : memref<2xi1>) {
    ^bb0(%in: i16, %out: i1):
      %5 = arith.addi %out, %out : i1
      linalg.yield %5 : i1
    }
    memref.store %cst, %arg1[%c0] : memref<4xf32>
    memref.store %0, %arg1[%c1_6] : memref<4xf32>
    memref.store %1, %arg1[%c2] : memref<4xf32>
    memref.store %2, %arg1[%c3] : memref<4xf32>
    %c0_15 = arith.constant 0 : index
    memref.store %cst_4, %arg2[%c0_15] : memref<2xf64>
    memref.store %4, %arg2[%c1] : memref<2xf64>
    memref.store %false, %arg3[%c0_15] : memref<1xi1>
    memref.store %c-1043_i16, %arg4[%c0_15] : memref<1xi16>
    memref.store %3, %arg5[%c0_15] : memref<1xi32>
    memref.store %c0, %arg6[%c0_15] : memref<8xindex>
    memref.store %c1, %arg6[%c1] : memref<8xindex>
    memref.store %c1_1, %arg6[%c2] : memref<8xindex>
    memref.store %c3, %arg6[%c3] : memref<8xindex>
    memref.store %c4, %arg6[%c4] : memref<8xindex>
    %c5 = arith.constant 5 : index
    memref.store %c1_6, %arg6[%c5] : memref<8xindex>
    %c6 = arith.constant 6 : index
    memref.store %c0_9, %arg6[%c6] : memref<8xindex>
    %c7 = arith.constant 7 : index
    memref.store %c2, %arg6[%c7] : memref<8xindex>
    memref.copy %alloc_12, %arg7 : memref<4xi16> to memref<4xi16>
    memref.copy %alloc_13, %arg8 : memref<3x2xi16> to memref<3x2xi16>
    memref.copy %alloc_14, %arg9 : memref<2xi1> to memref<2xi1>
    return
  }
}
