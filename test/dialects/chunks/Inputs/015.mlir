// {"kind": "dots", "entry": "chunk15", "traits": [], "arguments": [["a0", ["memref", [5], "f64"], [0, 0], false], ["a1", ["memref", [5], "f64"], [0, 0], false], ["a2", "f64", [0, 7], false], ["o0", ["memref", [], "f64"], [0, 0], true]], "results": [["o0", ["memref", [], "f64"], [0, 0], true]]}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @chunk15(%arg0: memref<5xf64>, %arg1: memref<5xf64>, %arg2: f64, %arg3: memref<f64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<5xf64>, vector<5xf64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<5xf64>, vector<5xf64>
    %2 = vector.contract {indexing_maps = [#map, #map, #map1], iterator_types = ["reduction"], kind = #vector.kind<add>} %0, %1, %arg2 : vector<5xf64>, vector<5xf64> into f64
    memref.store %2, %arg3[] : memref<f64>
    return
  }
}
