// {"kind": "narrow", "entry": "chunk89", "traits": [], "arguments": [["a0", ["memref", [3], "i1"], [0, 0], false], ["a1", ["memref", [3], "i32"], [0, 0], false], ["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i4", ["memref", [3], "i4"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [4], "i1"], [0, 0], true], ["out_i4", ["memref", [3], "i4"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]]}
module {
  func.func @chunk89(%arg0: memref<3xi1>, %arg1: memref<3xi32>, %arg2: memref<4xi1> {tilewright.output}, %arg3: memref<3xi4> {tilewright.output}, %arg4: memref<6xi8> {tilewright.output}, %arg5: memref<1xindex> {tilewright.output}) {
    %c6_i8 = arith.constant 6 : i8
    %c7_i8 = arith.constant 7 : i8
    %0 = arith.andi %c6_i8, %c7_i8 : i8
    %1 = arith.shli %0, %0 : i8
    %false = arith.constant false
    %true = arith.constant true
    %2 = arith.select %false, %false, %true : i1
    %3 = arith.cmpi sge, %false, %false : i1
    %c3 = arith.constant 3 : index
    %4 = arith.index_castui %c3 : index to i8
    %5 = arith.minui %c6_i8, %c6_i8 : i8
    %6 = arith.minui %c6_i8, %c6_i8 : i8
    %c2_i4 = arith.constant 2 : i4
    %c0_i4 = arith.constant 0 : i4
    %7 = arith.xori %c2_i4, %c0_i4 : i4
    %c0 = arith.constant 0 : index
    memref.store %false, %arg2[%c0] : memref<4xi1>
    %c1 = arith.constant 1 : index
    memref.store %true, %arg2[%c1] : memref<4xi1>
    %c2 = arith.constant 2 : index
    memref.store %2, %arg2[%c2] : memref<4xi1>
    memref.store %3, %arg2[%c3] : memref<4xi1>
    memref.store %c2_i4, %arg3[%c0] : memref<3xi4>
    memref.store %c0_i4, %arg3[%c1] : memref<3xi4>
    memref.store %7, %arg3[%c2] : memref<3xi4>
    %c0_0 = arith.constant 0 : index
    memref.store %c6_i8, %arg4[%c0_0] : memref<6xi8>
    memref.store %c7_i8, %arg4[%c1] : memref<6xi8>
    memref.store %0, %arg4[%c2] : memref<6xi8>
    memref.store %1, %arg4[%c3] : memref<6xi8>
    %c4 = arith.constant 4 : index
    memref.store %4, %arg4[%c4] : memref<6xi8>
    %c5 = arith.constant 5 : index
    memref.store %5, %arg4[%c5] : memref<6xi8>
    %c0_1 = arith.constant 0 : index
    memref.store %c3, %arg5[%c0_1] : memref<1xindex>
    return
  }
}
