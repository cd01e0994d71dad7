// {"kind": "buffer-kernels", "entry": "chunk65", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [2, 2], "i1"], [0, 0], true], ["out7", ["memref", [2, 2], "i32"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [2, 2], "i1"], [0, 0], true], ["out7", ["memref", [2, 2], "i32"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func @chunk65(%arg0: index, %arg1: memref<1xf32> {tilewright.output}, %arg2: memref<2xf64> {tilewright.output}, %arg3: memref<1xi1> {tilewright.output}, %arg4: memref<2xi32> {tilewright.output}, %arg5: memref<3xi64> {tilewright.output}, %arg6: memref<7xindex> {tilewright.output}, %arg7: memref<2x2xi1> {tilewright.output}, %arg8: memref<2x2xi32> {tilewright.output}) {
    %cst = arith.constant -1.000000e+00 : f32
    %cst_0 = arith.constant -1.000000e+00 : f32
    %0 = arith.cmpf one, %cst, %cst : f32
    %cst_1 = arith.constant 1.250000e-01 : f64
    %1 = arith.minimumf %cst_1, %cst_1 : f64
    %alloc = memref.alloc() : memref<2x2xi1>
    linalg.fill ins(%0 : i1) outs(%alloc : memref<2x2xi1>)
    %alloc_2 = memref.alloc() : memref<2x2xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %arg9 = %c0 to %c2 step %c1 {
      scf.for %arg10 = %c0 to %c2 step %c1 {
        %c4_i32 = arith.constant 4 : i32
        memref.store %c4_i32, %alloc_2[%arg9, %arg10] : memref<2x2xi32>
      }
    }
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloc : memref<2x2xi1>) outs(%alloc_2 : memref<2x2xi32>) {
    ^bb0(%in: i1, %out: i32):
      %c3_7 = arith.constant 3 : index
      %8 = arith.floordivsi %c3_7, %c1 : index
      %c-257_i32 = arith.constant -257 : i32
      linalg.yield %c-257_i32 : i32
    }
    %cast = memref.cast %alloc_2 : memref<2x2xi32> to memref<?x?xi32>
    %c1_3 = arith.constant 1 : index
    %dim = memref.dim %cast, %c1_3 : memref<?x?xi32>
    %2 = memref.load %cast[%c0, %c1_3] : memref<?x?xi32>
    %3 = arith.extsi %2 : i32 to i64
    %4 = arith.extsi %2 : i32 to i64
    %5 = arith.subi %3, %4 overflow<nsw> : i64
    %6 = arith.remui %dim, %c2 : index
    %7 = memref.load %alloc_2[%6, %c1_3] : memref<2x2xi32>
    memref.store %cst, %arg1[%c0] : memref<1xf32>
    memref.store %cst_1, %arg2[%c0] : memref<2xf64>
    memref.store %1, %arg2[%c1_3] : memref<2xf64>
    memref.store %0, %arg3[%c0] : memref<1xi1>
    memref.store %2, %arg4[%c0] : memref<2xi32>
    memref.store %7, %arg4[%c1_3] : memref<2xi32>
    %c0_4 = arith.constant 0 : index
    memref.store %3, %arg5[%c0_4] : memref<3xi64>
    memref.store %4, %arg5[%c1] : memref<3xi64>
    %c2_5 = arith.constant 2 : index
    memref.store %5, %arg5[%c2_5] : memref<3xi64>
    memref.store %arg0, %arg6[%c0] : memref<7xindex>
    memref.store %c0, %arg6[%c1_3] : memref<7xindex>
    memref.store %c1, %arg6[%c2] : memref<7xindex>
    %c3 = arith.constant 3 : index
    memref.store %c2, %arg6[%c3] : memref<7xindex>
    %c4 = arith.constant 4 : index
    %c4_6 = arith.constant 4 : index
    memref.store %c1_3, %arg6[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %dim, %arg6[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %6, %arg6[%c6] : memref<7xindex>
    memref.copy %alloc, %arg7 : memref<2x2xi1> to memref<2x2xi1>
    memref.copy %alloc_2, %arg8 : memref<2x2xi32> to memref<2x2xi32>
    return
  }
}
