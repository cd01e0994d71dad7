// {"kind": "loops", "entry": "chunk260", "traits": [], "arguments": [["a0", "i64", [0, 0], false], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i64", ["memref", [4], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk260(%arg0: i64, %arg1: memref<2xf64> {tilewright.output}, %arg2: memref<2xi1> {tilewright.output}, %arg3: memref<3xi16> {tilewright.output}, %arg4: memref<4xi64> {tilewright.output}, %arg5: memref<3xi8> {tilewright.output}, %arg6: memref<5xindex> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_0 = arith.constant 0 : index
    %false = arith.constant false
    %0 = scf.for %arg7 = %c0 to %c0_0 step %c1 iter_args(%arg8 = %false) -> (i1) {
      scf.yield %arg8 : i1
    }
    %c7 = arith.constant 7 : index
    %1 = arith.maxsi %c0_0, %c7 : index
    %2 = arith.subi %arg0, %arg0 : i64
    %c5_i16 = arith.constant 5 : i16
    %3 = arith.uitofp %c5_i16 : i16 to f64
    %c2_i8 = arith.constant 2 : i8
    %c2_i8_1 = arith.constant 2 : i8
    %c1_i8 = arith.constant 1 : i8
    %c-6980291981178525085_i64 = arith.constant -6980291981178525085 : i64
    %4:4 = scf.for %arg7 = %c2_i8 to %c2_i8_1 step %c1_i8 iter_args(%arg8 = %c5_i16, %arg9 = %c-6980291981178525085_i64, %arg10 = %3, %arg11 = %c5_i16) -> (i16, i64, f64, i16)  : i8 {
      scf.yield %arg8, %arg9, %arg10, %arg8 : i16, i64, f64, i16
    }
    memref.store %3, %arg1[%c0] : memref<2xf64>
    %c1_2 = arith.constant 1 : index
    memref.store %4#2, %arg1[%c1_2] : memref<2xf64>
    memref.store %false, %arg2[%c0_0] : memref<2xi1>
    memref.store %0, %arg2[%c1_2] : memref<2xi1>
    %c0_3 = arith.constant 0 : index
    memref.store %c5_i16, %arg3[%c0_3] : memref<3xi16>
    %c1_4 = arith.constant 1 : index
    memref.store %4#0, %arg3[%c1_4] : memref<3xi16>
    %c2 = arith.constant 2 : index
    memref.store %4#3, %arg3[%c2] : memref<3xi16>
    memref.store %arg0, %arg4[%c0_0] : memref<4xi64>
    memref.store %2, %arg4[%c1] : memref<4xi64>
    memref.store %c-6980291981178525085_i64, %arg4[%c2] : memref<4xi64>
    %c3 = arith.constant 3 : index
    memref.store %4#1, %arg4[%c3] : memref<4xi64>
    memref.store %c2_i8, %arg5[%c0_3] : memref<3xi8>
    %c1_5 = arith.constant 1 : index
    memref.store %c2_i8_1, %arg5[%c1_5] : memref<3xi8>
    %c2_6 = arith.constant 2 : index
    memref.store %c1_i8, %arg5[%c2_6] : memref<3xi8>
    memref.store %c0, %arg6[%c0_0] : memref<5xindex>
    memref.store %c1, %arg6[%c1] : memref<5xindex>
    memref.store %c0_0, %arg6[%c2_6] : memref<5xindex>
    memref.store %c7, %arg6[%c3] : memref<5xindex>
    %c4 = arith.constant 4 : index
    memref.store %1, %arg6[%c4] : memref<5xindex>
    return
  }
}
