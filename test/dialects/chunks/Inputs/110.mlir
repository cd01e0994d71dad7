// {"kind": "affine", "entry": "chunk110", "traits": [], "arguments": [["a0", ["memref", [3], "i1"], [0, 0], false], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> ((-(d1 + d0)) mod 5)>
#map1 = affine_map<(d0)[s0] -> ((s0 mod 3) * 2)>
module {
  func.func @chunk110(%arg0: memref<3xi1>, %arg1: memref<6xi8> {tilewright.output}, %arg2: memref<6xindex> {tilewright.output}) {
    %c0_i8 = arith.constant 0 : i8
    %c3_i8 = arith.constant 3 : i8
    %c3_i8_0 = arith.constant 3 : i8
    %0 = arith.andi %c3_i8, %c3_i8 : i8
    %c1_i8 = arith.constant 1 : i8
    %1 = arith.ori %0, %c1_i8 : i8
    %2 = arith.divui %c0_i8, %1 : i8
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %3 = affine.apply #map(%c2, %c6)
    %c3 = arith.constant 3 : index
    %4 = arith.remui %c6, %c3 : index
    %subview = memref.subview %arg0[%4] [1] [1] : memref<3xi1> to memref<1xi1, strided<[1], offset: ?>>
    %5 = affine.apply #map1(%4)[%3]
    %c0 = arith.constant 0 : index
    memref.store %c0_i8, %arg1[%c0] : memref<6xi8>
    %c1 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    memref.store %c3_i8, %arg1[%c1] : memref<6xi8>
    memref.store %0, %arg1[%c2] : memref<6xi8>
    memref.store %c1_i8, %arg1[%c3] : memref<6xi8>
    %c4 = arith.constant 4 : index
    memref.store %1, %arg1[%c4] : memref<6xi8>
    %c5 = arith.constant 5 : index
    memref.store %2, %arg1[%c5] : memref<6xi8>
    memref.store %c2, %arg2[%c0] : memref<6xindex>
    memref.store %c6, %arg2[%c1] : memref<6xindex>
    memref.store %3, %arg2[%c2] : memref<6xindex>
    memref.store %c3, %arg2[%c3] : memref<6xindex>
    memref.store %4, %arg2[%c4] : memref<6xindex>
    memref.store %5, %arg2[%c5] : memref<6xindex>
    return
  }
}
