// {"kind": "halves", "entry": "chunk287", "traits": ["half"], "arguments": [["a0", ["memref", [4, 3], "i8"], [0, 0], false], ["a1", ["memref", [3, 3], "i8"], [0, 0], false], ["a2", ["memref", [], "i8"], [0, 0], false], ["a3", ["memref", [2, 4], "i32"], [0, 0], false], ["out_bf16", ["memref", [8], "bf16"], [0, 0], true], ["out_f16", ["memref", [1], "f16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out7", ["memref", [2, 2], "i8"], [0, 0], true], ["out8", ["memref", [2, 2], "bf16"], [0, 0], true], ["out9", ["memref", [], "i1"], [0, 0], true]], "results": [["out_bf16", ["memref", [8], "bf16"], [0, 0], true], ["out_f16", ["memref", [1], "f16"], [0, 0], true], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out7", ["memref", [2, 2], "i8"], [0, 0], true], ["out8", ["memref", [2, 2], "bf16"], [0, 0], true], ["out9", ["memref", [], "i1"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1 * 2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
module {
  func.func @chunk287(%arg0: memref<4x3xi8>, %arg1: memref<3x3xi8>, %arg2: memref<i8>, %arg3: memref<2x4xi32>, %arg4: memref<8xbf16> {tilewright.output}, %arg5: memref<1xf16> {tilewright.output}, %arg6: memref<2xf32> {tilewright.output}, %arg7: memref<3xi1> {tilewright.output}, %arg8: memref<1xi32> {tilewright.output}, %arg9: memref<1xi8> {tilewright.output}, %arg10: memref<3xindex> {tilewright.output}, %arg11: memref<2x2xi8> {tilewright.output}, %arg12: memref<2x2xbf16> {tilewright.output}, %arg13: memref<i1> {tilewright.output}) {
    %alloca = memref.alloca() : memref<i1>
    %false = arith.constant false
    linalg.fill ins(%false : i1) outs(%alloca : memref<i1>)
    %cst = arith.constant 0x7FC00000 : f32
    %0 = arith.truncf %cst : f32 to f16
    %cst_0 = arith.constant 0.000000e+00 : bf16
    %1 = arith.cmpf ord, %cst_0, %cst_0 : bf16
    %cst_1 = arith.constant 1.000000e+00 : bf16
    %2 = arith.select %1, %cst_0, %cst_1 : bf16
    %cst_2 = arith.constant 0.000000e+00 : bf16
    %3 = arith.maximumf %2, %cst_2 : bf16
    %cst_3 = arith.constant 2.480000e+02 : bf16
    %4 = arith.minimumf %3, %cst_3 : bf16
    %5 = arith.fptoui %4 : bf16 to i32
    %6 = arith.minimumf %3, %3 : bf16
    %alloca_4 = memref.alloca() : memref<i8>
    %c73_i8 = arith.constant 73 : i8
    linalg.fill ins(%c73_i8 : i8) outs(%alloca_4 : memref<i8>)
    %alloc = memref.alloc() : memref<3xbf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %arg14 = %c0 to %c3 step %c1 {
      memref.store %cst_3, %alloc[%arg14] : memref<3xbf16>
    }
    %alloc_5 = memref.alloc() : memref<2x2xi8>
    linalg.fill ins(%c73_i8 : i8) outs(%alloc_5 : memref<2x2xi8>)
    %alloca_6 = memref.alloca() : memref<2x2xbf16>
    linalg.fill ins(%2 : bf16) outs(%alloca_6 : memref<2x2xbf16>)
    %alloc_7 = memref.alloc() : memref<i1>
    linalg.fill ins(%1 : i1) outs(%alloc_7 : memref<i1>)
    linalg.generic {indexing_maps = [#map, #map1, #map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%alloc, %alloc_5, %alloca_6 : memref<3xbf16>, memref<2x2xi8>, memref<2x2xbf16>) outs(%alloc_7 : memref<i1>) {
    ^bb0(%in: bf16, %in_15: i8, %in_16: bf16, %out: i1):
      %11 = linalg.index 0 : index
      %12 = arith.subf %0, %0 : f16
      %13 = arith.addi %out, %false : i1
      linalg.yield %13 : i1
    }
    %7 = math.round %4 : bf16
    %8 = arith.negf %3 : bf16
    %cst_8 = arith.constant -0.000000e+00 : f32
    %9 = arith.cmpf olt, %cst_8, %cst_8 : f32
    %cst_9 = arith.constant -3.242190e-01 : bf16
    %cst_10 = arith.constant -3.750000e-01 : bf16
    %10 = arith.divf %cst_9, %cst_10 : bf16
    memref.store %6, %arg4[%c0] : memref<8xbf16>
    memref.store %7, %arg4[%c1] : memref<8xbf16>
    %c2 = arith.constant 2 : index
    memref.store %8, %arg4[%c2] : memref<8xbf16>
    %c3_11 = arith.constant 3 : index
    memref.store %cst_9, %arg4[%c3_11] : memref<8xbf16>
    %c4 = arith.constant 4 : index
    memref.store %cst_10, %arg4[%c4] : memref<8xbf16>
    %c5 = arith.constant 5 : index
    memref.store %10, %arg4[%c5] : memref<8xbf16>
    %c6 = arith.constant 6 : index
    memref.store %cst_0, %arg4[%c6] : memref<8xbf16>
    %c7 = arith.constant 7 : index
    memref.store %4, %arg4[%c7] : memref<8xbf16>
    memref.store %0, %arg5[%c0] : memref<1xf16>
    memref.store %cst, %arg6[%c0] : memref<2xf32>
    memref.store %cst_8, %arg6[%c1] : memref<2xf32>
    memref.store %false, %arg7[%c0] : memref<3xi1>
    %c1_12 = arith.constant 1 : index
    memref.store %1, %arg7[%c1_12] : memref<3xi1>
    memref.store %9, %arg7[%c2] : memref<3xi1>
    memref.store %5, %arg8[%c0] : memref<1xi32>
    %c0_13 = arith.constant 0 : index
    memref.store %c73_i8, %arg9[%c0_13] : memref<1xi8>
    memref.store %c0, %arg10[%c0] : memref<3xindex>
    memref.store %c1, %arg10[%c1_12] : memref<3xindex>
    %c2_14 = arith.constant 2 : index
    memref.store %c3, %arg10[%c2_14] : memref<3xindex>
    memref.copy %alloc_5, %arg11 : memref<2x2xi8> to memref<2x2xi8>
    memref.copy %alloca_6, %arg12 : memref<2x2xbf16> to memref<2x2xbf16>
    memref.copy %alloc_7, %arg13 : memref<i1> to memref<i1>
    return
  }
}
