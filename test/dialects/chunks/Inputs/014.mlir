// {"kind": "memory", "entry": "chunk14", "traits": [], "arguments": [["a0", ["memref", [1, 4], "i16"], [0, 0], false], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out5", ["memref", [1, 4], "i16"], [0, 0], true]], "results": [["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i16", ["memref", [1], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out5", ["memref", [1, 4], "i16"], [0, 0], true]]}
module {
  func.func @chunk14(%arg0: memref<1x4xi16>, %arg1: memref<1xf64> {tilewright.output}, %arg2: memref<1xi16> {tilewright.output}, %arg3: memref<2xi32> {tilewright.output}, %arg4: memref<2xi64> {tilewright.output}, %arg5: memref<7xindex> {tilewright.output}, %arg6: memref<1x4xi16> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %0 = memref.load %arg0[%c0, %c3] : memref<1x4xi16>
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c8_i32 = arith.constant 8 : i32
    %c-1_i64 = arith.constant -1 : i64
    %1:2 = scf.for %arg7 = %c2 to %c3 step %c1 iter_args(%arg8 = %c8_i32, %arg9 = %c-1_i64) -> (i32, i64) {
      %cst = arith.constant 14.542674973732167 : f64
      %4 = math.round %cst : f64
      %cst_5 = arith.constant 5.51040484E-23 : f32
      %5 = arith.subf %cst_5, %cst_5 : f32
      scf.yield %arg8, %c-1_i64 : i32, i64
    }
    %alloca = memref.alloca() : memref<1x4xi16>
    %c1_0 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    scf.for %arg7 = %c0 to %c1_1 step %c1_0 {
      %c4_5 = arith.constant 4 : index
      %c4_6 = arith.constant 4 : index
      scf.for %arg8 = %c0 to %c4_5 step %c1_0 {
        %c32706_i16 = arith.constant 32706 : i16
        memref.store %c32706_i16, %alloca[%arg7, %arg8] : memref<1x4xi16>
      }
    }
    memref.copy %arg0, %alloca : memref<1x4xi16> to memref<1x4xi16>
    %c-1 = arith.constant -1 : index
    %c5 = arith.constant 5 : index
    %2 = arith.minsi %c-1, %c5 : index
    %3 = arith.bitcast %c-1_i64 : i64 to f64
    %c0_2 = arith.constant 0 : index
    memref.store %3, %arg1[%c0_2] : memref<1xf64>
    memref.store %0, %arg2[%c0_2] : memref<1xi16>
    %c0_3 = arith.constant 0 : index
    memref.store %c8_i32, %arg3[%c0_3] : memref<2xi32>
    memref.store %1#0, %arg3[%c1] : memref<2xi32>
    memref.store %c-1_i64, %arg4[%c0_2] : memref<2xi64>
    memref.store %1#1, %arg4[%c1_1] : memref<2xi64>
    %c0_4 = arith.constant 0 : index
    memref.store %c1, %arg5[%c0_4] : memref<7xindex>
    memref.store %c1_0, %arg5[%c1_0] : memref<7xindex>
    memref.store %c1_1, %arg5[%c2] : memref<7xindex>
    memref.store %c-1, %arg5[%c3] : memref<7xindex>
    %c4 = arith.constant 4 : index
    memref.store %c5, %arg5[%c4] : memref<7xindex>
    memref.store %2, %arg5[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c0, %arg5[%c6] : memref<7xindex>
    memref.copy %alloca, %arg6 : memref<1x4xi16> to memref<1x4xi16>
    return
  }
}
