// {"kind": "narrow", "entry": "chunk173", "traits": [], "arguments": [["a0", "i4", [0, 0], false], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i4", ["memref", [2], "i4"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i32", ["memref", [7], "i32"], [0, 0], true], ["out_i4", ["memref", [2], "i4"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func @chunk173(%arg0: i4, %arg1: memref<2xi1> {tilewright.output}, %arg2: memref<7xi32> {tilewright.output}, %arg3: memref<2xi4> {tilewright.output}, %arg4: memref<3xi64> {tilewright.output}, %arg5: memref<5xi8> {tilewright.output}, %arg6: memref<6xindex> {tilewright.output}) {
    %c1935194971_i32 = arith.constant 1935194971 : i32
    %0 = arith.cmpi eq, %c1935194971_i32, %c1935194971_i32 : i32
    %c4_i32 = arith.constant 4 : i32
    %1 = arith.minsi %c4_i32, %c1935194971_i32 : i32
    %c-5_i8 = arith.constant -5 : i8
    %c64_i8 = arith.constant 64 : i8
    %2 = arith.remsi %c-5_i8, %c64_i8 : i8
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %3 = arith.cmpi ne, %c2, %c8 : index
    %c9_i32 = arith.constant 9 : i32
    %4 = arith.extsi %c9_i32 : i32 to i64
    %5 = arith.extsi %c1935194971_i32 : i32 to i64
    %6 = arith.subi %4, %5 overflow<nsw> : i64
    %c0 = arith.constant 0 : index
    %c2_0 = arith.constant 2 : index
    %c1_i32 = arith.constant 1 : i32
    %c-1_i8 = arith.constant -1 : i8
    %7:2 = scf.for %arg7 = %c0 to %c0 step %c2_0 iter_args(%arg8 = %c1_i32, %arg9 = %c-1_i8) -> (i32, i8) {
      %c-8_i4 = arith.constant -8 : i4
      %c0_6 = arith.constant 0 : index
      %c1_7 = arith.constant 1 : index
      %11:2 = scf.while (%arg10 = %c0_6, %arg11 = %c-8_i4) : (index, i4) -> (index, i4) {
        %13 = arith.cmpi slt, %arg10, %c2_0 : index
        scf.condition(%13) %arg10, %arg11 : index, i4
      } do {
      ^bb0(%arg10: index, %arg11: i4):
        %13 = arith.select %0, %c-8_i4, %c-8_i4 : i4
        %14 = arith.extsi %c1935194971_i32 : i32 to i64
        %15 = arith.extsi %c1935194971_i32 : i32 to i64
        %c-4_i32 = arith.constant -4 : i32
        %16 = arith.extsi %c-4_i32 : i32 to i64
        %17 = arith.subi %14, %16 overflow<nsw> : i64
        %18 = arith.addi %arg10, %c1_7 : index
        scf.yield %18, %13 : index, i4
      }
      %12 = arith.cmpi eq, %3, %0 : i1
      %c-2_i32 = arith.constant -2 : i32
      scf.yield %c-2_i32, %c-5_i8 : i32, i8
    }
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %8 = arith.trunci %c-2147483648_i32 : i32 to i4
    %9 = arith.trunci %c-2147483648_i32 : i32 to i4
    %c5 = arith.constant 5 : index
    %10 = arith.addi %c8, %c5 : index
    memref.store %0, %arg1[%c0] : memref<2xi1>
    %c1 = arith.constant 1 : index
    memref.store %3, %arg1[%c1] : memref<2xi1>
    memref.store %c1935194971_i32, %arg2[%c0] : memref<7xi32>
    memref.store %c4_i32, %arg2[%c1] : memref<7xi32>
    %c2_1 = arith.constant 2 : index
    %c2_2 = arith.constant 2 : index
    memref.store %1, %arg2[%c2_1] : memref<7xi32>
    %c3 = arith.constant 3 : index
    memref.store %c9_i32, %arg2[%c3] : memref<7xi32>
    %c4 = arith.constant 4 : index
    memref.store %c1_i32, %arg2[%c4] : memref<7xi32>
    %c5_3 = arith.constant 5 : index
    memref.store %7#0, %arg2[%c5_3] : memref<7xi32>
    %c6 = arith.constant 6 : index
    memref.store %c-2147483648_i32, %arg2[%c6] : memref<7xi32>
    memref.store %arg0, %arg3[%c0] : memref<2xi4>
    memref.store %8, %arg3[%c1] : memref<2xi4>
    memref.store %4, %arg4[%c0] : memref<3xi64>
    memref.store %5, %arg4[%c1] : memref<3xi64>
    %c2_4 = arith.constant 2 : index
    memref.store %6, %arg4[%c2_4] : memref<3xi64>
    memref.store %c-5_i8, %arg5[%c0] : memref<5xi8>
    memref.store %c64_i8, %arg5[%c1] : memref<5xi8>
    %c2_5 = arith.constant 2 : index
    memref.store %2, %arg5[%c2_5] : memref<5xi8>
    memref.store %c-1_i8, %arg5[%c3] : memref<5xi8>
    memref.store %7#1, %arg5[%c4] : memref<5xi8>
    memref.store %c2, %arg6[%c0] : memref<6xindex>
    memref.store %c8, %arg6[%c1] : memref<6xindex>
    memref.store %c0, %arg6[%c2_1] : memref<6xindex>
    memref.store %c2_0, %arg6[%c3] : memref<6xindex>
    memref.store %c5, %arg6[%c4] : memref<6xindex>
    memref.store %10, %arg6[%c5] : memref<6xindex>
    return
  }
}
