// {"kind": "products", "entry": "chunk166", "traits": [], "arguments": [["a0", ["memref", [2, 1], "f64"], [0, 0], false], ["a1", ["memref", [1, 1], "f64"], [0, 0], false], ["a2", ["memref", [2, 1], "f64"], [0, 0], false], ["a3", ["memref", [2], "f64"], [0, 0], false], ["a4", ["memref", [1], "f64"], [0, 0], false], ["a5", "f64", [0, 7], false], ["o0", ["memref", [2, 1], "f64"], [0, 0], true], ["o1", ["memref", [2, 1], "f64"], [0, 0], true], ["o2", ["memref", [2, 1], "f64"], [0, 0], true], ["o3", ["memref", [2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [2, 1], "f64"], [0, 0], true], ["o1", ["memref", [2, 1], "f64"], [0, 0], true], ["o2", ["memref", [2, 1], "f64"], [0, 0], true], ["o3", ["memref", [2], "f64"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @chunk166(%arg0: memref<2x1xf64>, %arg1: memref<1x1xf64>, %arg2: memref<2x1xf64>, %arg3: memref<2xf64>, %arg4: memref<1xf64>, %arg5: f64, %arg6: memref<2x1xf64> {tilewright.output}, %arg7: memref<2x1xf64> {tilewright.output}, %arg8: memref<2x1xf64> {tilewright.output}, %arg9: memref<2xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0, %c0], %cst {in_bounds = [true, true]} : memref<2x1xf64>, vector<2x1xf64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %1 = vector.transfer_read %arg1[%c0_0, %c0_0], %cst_1 {in_bounds = [true, true]} : memref<1x1xf64>, vector<1x1xf64>
    %c0_2 = arith.constant 0 : index
    %cst_3 = arith.constant 0.000000e+00 : f64
    %2 = vector.transfer_read %arg2[%c0_2, %c0_2], %cst_3 {in_bounds = [true, true]} : memref<2x1xf64>, vector<2x1xf64>
    %3 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %1, %2 : vector<2x1xf64>, vector<1x1xf64> into vector<2x1xf64>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %3, %arg6[%c0_4, %c0_4] {in_bounds = [true, true]} : vector<2x1xf64>, memref<2x1xf64>
    %c0_5 = arith.constant 0 : index
    %cst_6 = arith.constant 0.000000e+00 : f64
    %4 = vector.transfer_read %arg3[%c0_5], %cst_6 {in_bounds = [true]} : memref<2xf64>, vector<2xf64>
    %c0_7 = arith.constant 0 : index
    %cst_8 = arith.constant 0.000000e+00 : f64
    %5 = vector.transfer_read %arg4[%c0_7], %cst_8 {in_bounds = [true]} : memref<1xf64>, vector<1xf64>
    %6 = vector.outerproduct %4, %5, %2 {kind = #vector.kind<mul>} : vector<2xf64>, vector<1xf64>
    %c0_9 = arith.constant 0 : index
    vector.transfer_write %6, %arg7[%c0_9, %c0_9] {in_bounds = [true, true]} : vector<2x1xf64>, memref<2x1xf64>
    %7 = vector.outerproduct %4, %5 : vector<2xf64>, vector<1xf64>
    %c0_10 = arith.constant 0 : index
    vector.transfer_write %7, %arg8[%c0_10, %c0_10] {in_bounds = [true, true]} : vector<2x1xf64>, memref<2x1xf64>
    %8 = vector.outerproduct %4, %arg5 : vector<2xf64>, f64
    %c0_11 = arith.constant 0 : index
    vector.transfer_write %8, %arg9[%c0_11] {in_bounds = [true]} : vector<2xf64>, memref<2xf64>
    return
  }
}
