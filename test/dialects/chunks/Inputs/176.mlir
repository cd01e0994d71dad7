// {"kind": "loops", "entry": "chunk176", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", ["memref", [1], "f32"], [0, 0], false], ["a2", "f32", [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk176(%arg0: index, %arg1: memref<1xf32>, %arg2: f32, %arg3: memref<4xf32> {tilewright.output}, %arg4: memref<2xf64> {tilewright.output}, %arg5: memref<1xi1> {tilewright.output}, %arg6: memref<2xi32> {tilewright.output}, %arg7: memref<4xindex> {tilewright.output}) {
    %0 = arith.negf %arg2 : f32
    %c-1_i32 = arith.constant -1 : i32
    %1 = arith.bitcast %c-1_i32 : i32 to f32
    %cst = arith.constant -8.000000e+00 : f64
    %2 = math.fma %cst, %cst, %cst : f64
    %true = arith.constant true
    %3:2 = scf.if %true -> (f32, i32) {
      %c-8025886021096291951_i64 = arith.constant -8025886021096291951 : i64
      %c63_i64 = arith.constant 63 : i64
      %6 = arith.andi %c-8025886021096291951_i64, %c63_i64 : i64
      %7 = arith.shrui %c-8025886021096291951_i64, %6 : i64
      %8 = arith.minsi %arg0, %arg0 : index
      %true_4 = arith.constant true
      %c0_5 = arith.constant 0 : index
      %c1_6 = arith.constant 1 : index
      %9:2 = scf.while (%arg8 = %c0_5, %arg9 = %true_4) : (index, i1) -> (index, i1) {
        %10 = arith.cmpi slt, %arg8, %c0_5 : index
        %11 = arith.cmpi slt, %arg8, %c0_5 : index
        scf.condition(%10) %arg8, %arg9 : index, i1
      } do {
      ^bb0(%arg8: index, %arg9: i1):
        %10 = arith.addi %arg8, %c1_6 : index
        scf.yield %10, %arg9 : index, i1
      }
      scf.yield %1, %c-1_i32 : f32, i32
    } else {
      %c-1_i16 = arith.constant -1 : i16
      %c0_i16 = arith.constant 0 : i16
      %6 = arith.select %true, %c-1_i16, %c0_i16 : i16
      scf.yield %0, %c-1_i32 : f32, i32
    }
    %4 = arith.subi %arg0, %arg0 : index
    %c2 = arith.constant 2 : index
    %5 = arith.ceildivui %arg0, %c2 : index
    %c0 = arith.constant 0 : index
    memref.store %arg2, %arg3[%c0] : memref<4xf32>
    %c1 = arith.constant 1 : index
    memref.store %0, %arg3[%c1] : memref<4xf32>
    %c2_0 = arith.constant 2 : index
    memref.store %1, %arg3[%c2_0] : memref<4xf32>
    %c3 = arith.constant 3 : index
    memref.store %3#0, %arg3[%c3] : memref<4xf32>
    memref.store %cst, %arg4[%c0] : memref<2xf64>
    memref.store %2, %arg4[%c1] : memref<2xf64>
    %c0_1 = arith.constant 0 : index
    memref.store %true, %arg5[%c0_1] : memref<1xi1>
    memref.store %c-1_i32, %arg6[%c0] : memref<2xi32>
    memref.store %3#1, %arg6[%c1] : memref<2xi32>
    memref.store %arg0, %arg7[%c0] : memref<4xindex>
    memref.store %4, %arg7[%c1] : memref<4xindex>
    %c2_2 = arith.constant 2 : index
    memref.store %c2, %arg7[%c2_2] : memref<4xindex>
    %c3_3 = arith.constant 3 : index
    memref.store %5, %arg7[%c3_3] : memref<4xindex>
    return
  }
}
