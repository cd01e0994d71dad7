// {"kind": "affine_bounds", "entry": "chunk193", "traits": [], "arguments": [["a0", "index", [-9, 9], false], ["a1", "index", [0, 7], false], ["a2", "index", [0, 29], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1)[s0] -> (d0 + 2, d1 * 2 - s0 floordiv 2, -3, (d0 - d1) mod 3)>
#map1 = affine_map<(d0, d1)[s0] -> (d0, d1 * 2 - s0 floordiv 2, 0, (d0 - d1) mod 3)>
module {
  func.func @chunk193(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<index> {tilewright.output}, %arg4: memref<index> {tilewright.output}, %arg5: memref<index> {tilewright.output}, %arg6: memref<index> {tilewright.output}, %arg7: memref<index> {tilewright.output}) {
    %0 = affine.max #map(%arg0, %arg1)[%arg1]
    memref.store %0, %arg3[] : memref<index>
    %1 = affine.min #map1(%arg0, %arg1)[%arg1]
    memref.store %1, %arg4[] : memref<index>
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %2:3 = affine.delinearize_index %arg2 into (%c2, %c3, %c5) : index, index, index
    memref.store %2#0, %arg5[] : memref<index>
    memref.store %2#1, %arg6[] : memref<index>
    memref.store %2#2, %arg7[] : memref<index>
    return
  }
}
