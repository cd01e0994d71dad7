// {"kind": "loops", "entry": "chunk134", "traits": [], "arguments": [["a0", "f32", [0, 0], false], ["a1", "i16", [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk134(%arg0: f32, %arg1: i16, %arg2: memref<1xf32> {tilewright.output}, %arg3: memref<1xi16> {tilewright.output}, %arg4: memref<2xi32> {tilewright.output}, %arg5: memref<3xi8> {tilewright.output}, %arg6: memref<6xindex> {tilewright.output}) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c1_0 = arith.constant 1 : index
    %c8_i32 = arith.constant 8 : i32
    %0 = scf.for %arg7 = %c1 to %c1_0 step %c3 iter_args(%arg8 = %c8_i32) -> (i32) {
      %c0_4 = arith.constant 0 : index
      %false = arith.constant false
      %3:2 = scf.for %arg9 = %c0_4 to %c0_4 step %c1 iter_args(%arg10 = %arg1, %arg11 = %false) -> (i16, i1) {
        scf.yield %arg10, %arg11 : i16, i1
      }
      scf.yield %arg8 : i32
    }
    %c-1_i8 = arith.constant -1 : i8
    %c-4_i8 = arith.constant -4 : i8
    %1 = arith.minui %c-1_i8, %c-4_i8 : i8
    %c-3 = arith.constant -3 : index
    %c7 = arith.constant 7 : index
    %c7_1 = arith.constant 7 : index
    %2 = arith.addi %c-3, %c7 : index
    %c0 = arith.constant 0 : index
    memref.store %arg0, %arg2[%c0] : memref<1xf32>
    memref.store %arg1, %arg3[%c0] : memref<1xi16>
    memref.store %c8_i32, %arg4[%c0] : memref<2xi32>
    memref.store %0, %arg4[%c1_0] : memref<2xi32>
    memref.store %c-1_i8, %arg5[%c0] : memref<3xi8>
    memref.store %c-4_i8, %arg5[%c1] : memref<3xi8>
    %c2 = arith.constant 2 : index
    memref.store %1, %arg5[%c2] : memref<3xi8>
    memref.store %c1, %arg6[%c0] : memref<6xindex>
    memref.store %c3, %arg6[%c1] : memref<6xindex>
    %c2_2 = arith.constant 2 : index
    memref.store %c1_0, %arg6[%c2_2] : memref<6xindex>
    %c3_3 = arith.constant 3 : index
    memref.store %c-3, %arg6[%c3_3] : memref<6xindex>
    %c4 = arith.constant 4 : index
    memref.store %c7, %arg6[%c4] : memref<6xindex>
    %c5 = arith.constant 5 : index
    memref.store %2, %arg6[%c5] : memref<6xindex>
    return
  }
}
