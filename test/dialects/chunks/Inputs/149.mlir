// {"kind": "buffer-kernels", "entry": "chunk149", "traits": ["identity"], "arguments": [["a0", "i32", [0, 0], false], ["a1", "f32", [0, 0], false], ["a2", "i1", [0, 0], false], ["a3", "f32", [0, 0], false], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [2, 3], "f64"], [0, 0], true], ["out7", ["memref", [3, 2], "f64"], [0, 0], true], ["out8", ["memref", [2, 2], "f64"], [0, 0], true]], "results": [["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [2, 3], "f64"], [0, 0], true], ["out7", ["memref", [3, 2], "f64"], [0, 0], true], ["out8", ["memref", [2, 2], "f64"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func @chunk149(%arg0: i32, %arg1: f32, %arg2: i1, %arg3: f32, %arg4: memref<3xf32> {tilewright.output}, %arg5: memref<3xf64> {tilewright.output}, %arg6: memref<1xi1> {tilewright.output}, %arg7: memref<3xi32> {tilewright.output}, %arg8: memref<1xi64> {tilewright.output}, %arg9: memref<7xindex> {tilewright.output}, %arg10: memref<2x3xf64> {tilewright.output}, %arg11: memref<3x2xf64> {tilewright.output}, %arg12: memref<2x2xf64> {tilewright.output}) {
    %alloca = memref.alloca() : memref<2xf64>
    %cst = arith.constant -4.6965145191144601E+139 : f64
    linalg.fill ins(%cst : f64) outs(%alloca : memref<2xf64>)
    %alloca_0 = memref.alloca() : memref<2x2xi64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %arg13 = %c0 to %c2 step %c1 {
      scf.for %arg14 = %c0 to %c2 step %c1 {
        %c6254006112740497932_i64 = arith.constant 6254006112740497932 : i64
        memref.store %c6254006112740497932_i64, %alloca_0[%arg13, %arg14] : memref<2x2xi64>
      }
    }
    %alloc = memref.alloc() : memref<2x2xi32>
    linalg.fill ins(%arg0 : i32) outs(%alloc : memref<2x2xi32>)
    linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%alloca, %alloca_0 : memref<2xf64>, memref<2x2xi64>) outs(%alloc : memref<2x2xi32>) {
    ^bb0(%in: f64, %in_11: i64, %out: i32):
      %c0_i16 = arith.constant 0 : i16
      %c8_i16 = arith.constant 8 : i16
      %3 = arith.xori %c0_i16, %c8_i16 : i16
      %4 = arith.remf %in, %in : f64
      %5 = arith.subf %arg1, %arg3 : f32
      linalg.yield %arg0 : i32
    }
    %alloc_1 = memref.alloc() : memref<2x2xi64>
    %c-9223372036854775808_i64 = arith.constant -9223372036854775808 : i64
    linalg.fill ins(%c-9223372036854775808_i64 : i64) outs(%alloc_1 : memref<2x2xi64>)
    linalg.max ins(%alloca_0, %alloca_0 : memref<2x2xi64>, memref<2x2xi64>) outs(%alloc_1 : memref<2x2xi64>)
    %alloc_2 = memref.alloc() : memref<2x2xi64>
    linalg.fill ins(%c-9223372036854775808_i64 : i64) outs(%alloc_2 : memref<2x2xi64>)
    linalg.add ins(%alloc_1, %alloc_2 : memref<2x2xi64>, memref<2x2xi64>) outs(%alloca_0 : memref<2x2xi64>)
    linalg.sub ins(%alloc_1, %alloca_0 : memref<2x2xi64>, memref<2x2xi64>) outs(%alloc_2 : memref<2x2xi64>)
    %0 = arith.remui %c2, %c2 : index
    %subview = memref.subview %alloc_1[1, %0] [1, 1] [1, 1] : memref<2x2xi64> to memref<1x1xi64, strided<[2, 1], offset: ?>>
    linalg.min ins(%alloc_1, %alloc_2 : memref<2x2xi64>, memref<2x2xi64>) outs(%alloca_0 : memref<2x2xi64>)
    %c1_i32 = arith.constant 1 : i32
    %1 = arith.remui %c2, %c2 : index
    memref.store %c1_i32, %alloc[%1, %1] : memref<2x2xi32>
    %collapse_shape = memref.collapse_shape %alloc [[0], [1]] : memref<2x2xi32> into memref<2x2xi32>
    %c0_3 = arith.constant 0 : index
    memref.store %c-9223372036854775808_i64, %alloc_1[%0, %c0_3] : memref<2x2xi64>
    %c1_4 = arith.constant 1 : index
    %2:3 = scf.for %arg13 = %c0 to %c1 step %c1_4 iter_args(%arg14 = %c1_i32, %arg15 = %cst, %arg16 = %arg3) -> (i32, f64, f32) {
      %collapse_shape_11 = memref.collapse_shape %alloc [[0, 1]] : memref<2x2xi32> into memref<4xi32>
      %alloc_12 = memref.alloc() : memref<2x2xi32>
      linalg.fill ins(%arg14 : i32) outs(%alloc_12 : memref<2x2xi32>)
      linalg.transpose ins(%collapse_shape : memref<2x2xi32>) outs(%alloc_12 : memref<2x2xi32>) permutation = [0, 1] 
      %cst_13 = arith.constant -2.500000e-01 : f64
      scf.yield %arg14, %cst_13, %arg16 : i32, f64, f32
    }
    %alloc_5 = memref.alloc() : memref<2x3xf64>
    linalg.fill ins(%cst : f64) outs(%alloc_5 : memref<2x3xf64>)
    %alloc_6 = memref.alloc() : memref<3x2xf64>
    linalg.fill ins(%2#1 : f64) outs(%alloc_6 : memref<3x2xf64>)
    %alloc_7 = memref.alloc() : memref<2x2xf64>
    %cst_8 = arith.constant -1.000000e+00 : f64
    linalg.fill ins(%cst_8 : f64) outs(%alloc_7 : memref<2x2xf64>)
    linalg.matmul ins(%alloc_5, %alloc_6 : memref<2x3xf64>, memref<3x2xf64>) outs(%alloc_7 : memref<2x2xf64>)
    memref.store %arg1, %arg4[%c0_3] : memref<3xf32>
    memref.store %arg3, %arg4[%c1] : memref<3xf32>
    memref.store %2#2, %arg4[%c2] : memref<3xf32>
    memref.store %cst, %arg5[%c0_3] : memref<3xf64>
    %c1_9 = arith.constant 1 : index
    memref.store %2#1, %arg5[%c1_9] : memref<3xf64>
    memref.store %cst_8, %arg5[%c2] : memref<3xf64>
    memref.store %arg2, %arg6[%c0] : memref<1xi1>
    memref.store %arg0, %arg7[%c0_3] : memref<3xi32>
    %c1_10 = arith.constant 1 : index
    memref.store %c1_i32, %arg7[%c1_10] : memref<3xi32>
    memref.store %2#0, %arg7[%c2] : memref<3xi32>
    memref.store %c-9223372036854775808_i64, %arg8[%c0] : memref<1xi64>
    memref.store %c0, %arg9[%c0] : memref<7xindex>
    memref.store %c1, %arg9[%c1_10] : memref<7xindex>
    memref.store %c2, %arg9[%c2] : memref<7xindex>
    %c3 = arith.constant 3 : index
    memref.store %0, %arg9[%c3] : memref<7xindex>
    %c4 = arith.constant 4 : index
    memref.store %1, %arg9[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %c0_3, %arg9[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c1_4, %arg9[%c6] : memref<7xindex>
    memref.copy %alloc_5, %arg10 : memref<2x3xf64> to memref<2x3xf64>
    memref.copy %alloc_6, %arg11 : memref<3x2xf64> to memref<3x2xf64>
    memref.copy %alloc_7, %arg12 : memref<2x2xf64> to memref<2x2xf64>
    return
  }
}
