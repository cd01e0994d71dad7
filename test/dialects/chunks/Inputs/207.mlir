// {"kind": "dots", "entry": "chunk207", "traits": [], "arguments": [["a0", ["memref", [4], "f32"], [0, 0], false], ["a1", ["memref", [4], "f32"], [0, 0], false], ["a2", "f32", [0, 7], false], ["o0", ["memref", [], "f32"], [0, 0], true]], "results": [["o0", ["memref", [], "f32"], [0, 0], true]]}
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @chunk207(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: f32, %arg3: memref<f32> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f32
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
    %2 = vector.contract {indexing_maps = [#map, #map, #map1], iterator_types = ["reduction"], kind = #vector.kind<add>} %0, %1, %arg2 : vector<4xf32>, vector<4xf32> into f32
    memref.store %2, %arg3[] : memref<f32>
    return
  }
}
