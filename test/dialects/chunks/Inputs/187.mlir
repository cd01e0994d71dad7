// {"kind": "transfers", "entry": "chunk187", "traits": [], "arguments": [["a0", ["memref", [2, 5], "f64"], [0, 0], false], ["a1", "index", [0, 1], false], ["a2", "index", [0, 4], false], ["a3", "f64", [0, 7], false], ["o0", ["memref", [3, 3], "f64"], [0, 0], true], ["o1", ["memref", [3, 3], "f64"], [0, 0], true], ["o2", ["memref", [3, 3], "f64"], [0, 0], true], ["o3", ["memref", [3], "f64"], [0, 0], true], ["o4", ["memref", [2, 5], "f64"], [0, 0], true]], "results": [["o0", ["memref", [3, 3], "f64"], [0, 0], true], ["o1", ["memref", [3, 3], "f64"], [0, 0], true], ["o2", ["memref", [3, 3], "f64"], [0, 0], true], ["o3", ["memref", [3], "f64"], [0, 0], true], ["o4", ["memref", [2, 5], "f64"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
module {
  func.func @chunk187(%arg0: memref<2x5xf64>, %arg1: index, %arg2: index, %arg3: f64, %arg4: memref<3x3xf64> {tilewright.output}, %arg5: memref<3x3xf64> {tilewright.output}, %arg6: memref<3x3xf64> {tilewright.output}, %arg7: memref<3xf64> {tilewright.output}, %arg8: memref<2x5xf64> {tilewright.output}) {
    %0 = vector.transfer_read %arg0[%arg1, %arg2], %arg3 : memref<2x5xf64>, vector<3x3xf64>
    %c0 = arith.constant 0 : index
    vector.transfer_write %0, %arg4[%c0, %c0] {in_bounds = [true, true]} : vector<3x3xf64>, memref<3x3xf64>
    %1 = vector.transfer_read %arg0[%arg1, %arg2], %arg3 {permutation_map = #map} : memref<2x5xf64>, vector<3x3xf64>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg5[%c0_0, %c0_0] {in_bounds = [true, true]} : vector<3x3xf64>, memref<3x3xf64>
    %2 = vector.transfer_read %arg0[%arg1, %arg2], %arg3 {in_bounds = [true, false], permutation_map = #map1} : memref<2x5xf64>, vector<3x3xf64>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %2, %arg6[%c0_1, %c0_1] {in_bounds = [true, true]} : vector<3x3xf64>, memref<3x3xf64>
    %3 = vector.transfer_read %arg0[%arg1, %arg2], %arg3 : memref<2x5xf64>, vector<3xf64>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %3, %arg7[%c0_2] {in_bounds = [true]} : vector<3xf64>, memref<3xf64>
    vector.transfer_write %0, %arg0[%arg1, %arg2] : vector<3x3xf64>, memref<2x5xf64>
    memref.copy %arg0, %arg8 : memref<2x5xf64> to memref<2x5xf64>
    return
  }
}
