// {"kind": "buffer-kernels", "entry": "chunk191", "traits": [], "arguments": [["a0", "f32", [0, 0], false], ["a1", ["memref", [], "i32"], [0, 0], false], ["a2", ["memref", [2], "i1"], [0, 0], false], ["a3", "i8", [0, 0], false], ["a4", ["memref", [1], "i16"], [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out7", ["memref", [1], "i16"], [0, 0], true], ["out8", ["memref", [3, 3], "f32"], [0, 0], true], ["out9", ["memref", [3, 3], "f32"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true], ["out7", ["memref", [1], "i16"], [0, 0], true], ["out8", ["memref", [3, 3], "f32"], [0, 0], true], ["out9", ["memref", [3, 3], "f32"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d1, d0 * 2)>
#map5 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func @chunk191(%arg0: f32, %arg1: memref<i32>, %arg2: memref<2xi1>, %arg3: i8, %arg4: memref<1xi16>, %arg5: memref<1xf32> {tilewright.output}, %arg6: memref<2xf64> {tilewright.output}, %arg7: memref<2xi1> {tilewright.output}, %arg8: memref<1xi16> {tilewright.output}, %arg9: memref<1xi32> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}, %arg11: memref<6xindex> {tilewright.output}, %arg12: memref<1xi16> {tilewright.output}, %arg13: memref<3x3xf32> {tilewright.output}, %arg14: memref<3x3xf32> {tilewright.output}) {
    %alloca = memref.alloca() : memref<4x2x3xi8>
    linalg.fill ins(%arg3 : i8) outs(%alloca : memref<4x2x3xi8>)
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c2_0 = arith.constant 2 : index
    scf.for %arg15 = %c2 to %c2_0 step %c3 {
      %c4_i8 = arith.constant 4 : i8
      %1 = arith.shrui %arg3, %c4_i8 : i8
    }
    %reinterpret_cast = memref.reinterpret_cast %arg2 to offset: [0], sizes: [2, 1], strides: [1, 1] : memref<2xi1> to memref<2x1xi1, strided<[1, 1]>>
    %alloc = memref.alloc() : memref<f64>
    %cst = arith.constant -1.7976931348623157E+308 : f64
    linalg.fill ins(%cst : f64) outs(%alloc : memref<f64>)
    %alloca_1 = memref.alloca() : memref<2xi16>
    %c1_i16 = arith.constant 1 : i16
    %c1_i16_2 = arith.constant 1 : i16
    linalg.fill ins(%c1_i16 : i16) outs(%alloca_1 : memref<2xi16>)
    %alloca_3 = memref.alloca() : memref<1x2xi32>
    %c127_i32 = arith.constant 127 : i32
    linalg.fill ins(%c127_i32 : i32) outs(%alloca_3 : memref<1x2xi32>)
    %alloc_4 = memref.alloc() : memref<2xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2_5 = arith.constant 2 : index
    scf.for %arg15 = %c0 to %c2_5 step %c1 {
      memref.store %arg0, %alloc_4[%arg15] : memref<2xf32>
    }
    linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["reduction", "parallel"]} ins(%alloc, %alloca_1, %alloca_3 : memref<f64>, memref<2xi16>, memref<1x2xi32>) outs(%alloc_4 : memref<2xf32>) {
    ^bb0(%in: f64, %in_23: i16, %in_24: i32, %out: f32):
      %1 = linalg.index 1 : index
      %2 = arith.cmpi sle, %1, %1 : index
      %3 = arith.cmpf ugt, %cst, %cst : f64
      %4 = arith.mulf %out, %arg0 : f32
      linalg.yield %4 : f32
    }
    %alloca_6 = memref.alloca() : memref<1x3xi1>
    scf.for %arg15 = %c0 to %c1 step %c1 {
      scf.for %arg16 = %c0 to %c3 step %c1 {
        %false_23 = arith.constant false
        memref.store %false_23, %alloca_6[%arg15, %arg16] : memref<1x3xi1>
      }
    }
    %alloca_7 = memref.alloca() : memref<f64>
    %cst_8 = arith.constant -0.58836181386415976 : f64
    linalg.fill ins(%cst_8 : f64) outs(%alloca_7 : memref<f64>)
    %alloca_9 = memref.alloca() : memref<3x1xi1>
    %false = arith.constant false
    linalg.fill ins(%false : i1) outs(%alloca_9 : memref<3x1xi1>)
    %alloca_10 = memref.alloca() : memref<1x3xi8>
    %c1_11 = arith.constant 1 : index
    %c1_12 = arith.constant 1 : index
    %c1_13 = arith.constant 1 : index
    scf.for %arg15 = %c0 to %c1_13 step %c1_11 {
      scf.for %arg16 = %c0 to %c3 step %c1_11 {
        memref.store %arg3, %alloca_10[%arg15, %arg16] : memref<1x3xi8>
      }
    }
    %alloc_14 = memref.alloc() : memref<3x1xf32>
    %c0_15 = arith.constant 0 : index
    scf.for %arg15 = %c0_15 to %c3 step %c1_13 {
      scf.for %arg16 = %c0_15 to %c1_11 step %c1_13 {
        memref.store %arg0, %alloc_14[%arg15, %arg16] : memref<3x1xf32>
      }
    }
    linalg.generic {indexing_maps = [#map2, #map, #map4, #map2, #map5], iterator_types = ["parallel", "parallel"]} ins(%alloca_6, %alloca_7, %alloca_9, %alloca_10 : memref<1x3xi1>, memref<f64>, memref<3x1xi1>, memref<1x3xi8>) outs(%alloc_14 : memref<3x1xf32>) {
    ^bb0(%in: i1, %in_23: f64, %in_24: i1, %in_25: i8, %out: f32):
      %1 = arith.extsi %arg3 : i8 to i32
      %2 = arith.extsi %arg3 : i8 to i32
      %3 = arith.muli %1, %2 overflow<nsw> : i32
      %c7 = arith.constant 7 : index
      %c4_26 = arith.constant 4 : index
      %4 = arith.cmpi sle, %c7, %c4_26 : index
      %5 = arith.cmpi ult, %2, %2 : i32
      linalg.yield %arg0 : f32
    }
    %0 = arith.cmpi uge, %c127_i32, %c127_i32 : i32
    linalg.transpose ins(%alloca_6 : memref<1x3xi1>) outs(%alloca_9 : memref<3x1xi1>) permutation = [1, 0] 
    %alloca_16 = memref.alloca() : memref<1xi16>
    %c0_17 = arith.constant 0 : index
    scf.for %arg15 = %c0_17 to %c1_13 step %c1_11 {
      memref.store %c1_i16, %alloca_16[%arg15] : memref<1xi16>
    }
    %alloc_18 = memref.alloc() : memref<3x3xf32>
    linalg.fill ins(%arg0 : f32) outs(%alloc_18 : memref<3x3xf32>)
    %alloca_19 = memref.alloca() : memref<3x3xf32>
    linalg.fill ins(%arg0 : f32) outs(%alloca_19 : memref<3x3xf32>)
    linalg.matmul ins(%alloc_18, %alloc_18 : memref<3x3xf32>, memref<3x3xf32>) outs(%alloca_19 : memref<3x3xf32>)
    memref.store %arg0, %arg5[%c0_15] : memref<1xf32>
    memref.store %cst, %arg6[%c0_15] : memref<2xf64>
    %c1_20 = arith.constant 1 : index
    memref.store %cst_8, %arg6[%c1_20] : memref<2xf64>
    memref.store %false, %arg7[%c0] : memref<2xi1>
    memref.store %0, %arg7[%c1_11] : memref<2xi1>
    %c0_21 = arith.constant 0 : index
    memref.store %c1_i16, %arg8[%c0_21] : memref<1xi16>
    memref.store %c127_i32, %arg9[%c0_17] : memref<1xi32>
    memref.store %arg3, %arg10[%c0_21] : memref<1xi8>
    %c0_22 = arith.constant 0 : index
    memref.store %c1, %arg11[%c0_22] : memref<6xindex>
    memref.store %c2_5, %arg11[%c1_13] : memref<6xindex>
    memref.store %c1_11, %arg11[%c2_0] : memref<6xindex>
    memref.store %c1_13, %arg11[%c3] : memref<6xindex>
    %c4 = arith.constant 4 : index
    memref.store %c0_15, %arg11[%c4] : memref<6xindex>
    %c5 = arith.constant 5 : index
    memref.store %c0_17, %arg11[%c5] : memref<6xindex>
    memref.copy %alloca_16, %arg12 : memref<1xi16> to memref<1xi16>
    memref.copy %alloc_18, %arg13 : memref<3x3xf32> to memref<3x3xf32>
    memref.copy %alloca_19, %arg14 : memref<3x3xf32> to memref<3x3xf32>
    return
  }
}
