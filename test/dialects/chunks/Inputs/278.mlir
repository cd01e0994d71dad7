// {"kind": "affine", "entry": "chunk278", "traits": [], "arguments": [["a0", "i1", [0, 0], false], ["a1", ["memref", [3], "f32"], [0, 0], false], ["a2", "i32", [0, 0], false], ["a3", "i32", [0, 0], false], ["a4", "index", [0, 7], false], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out6", ["memref", [], "f32"], [0, 0], true]], "results": [["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true], ["out6", ["memref", [], "f32"], [0, 0], true]]}
#map = affine_map<(d0) -> (0)>
module {
  func.func @chunk278(%arg0: i1, %arg1: memref<3xf32>, %arg2: i32, %arg3: i32, %arg4: index, %arg5: memref<3xf32> {tilewright.output}, %arg6: memref<3xi1> {tilewright.output}, %arg7: memref<2xi32> {tilewright.output}, %arg8: memref<2xi64> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<4xindex> {tilewright.output}, %arg11: memref<f32> {tilewright.output}) {
    %alloca = memref.alloca() : memref<f32>
    %cst = arith.constant -1.000000e+00 : f32
    linalg.fill ins(%cst : f32) outs(%alloca : memref<f32>)
    %0 = affine.apply #map(%arg4)
    %c-127_i64 = arith.constant -127 : i64
    %1 = scf.if %arg0 -> (i64) {
      %7 = math.absi %arg2 : i32
      scf.yield %c-127_i64 : i64
    } else {
      scf.yield %c-127_i64 : i64
    }
    %false = arith.constant false
    %2 = arith.cmpi sgt, %false, %arg0 : i1
    %3 = affine.load %arg1[(%arg4 + 1) mod 3] : memref<3xf32>
    memref.store %3, %alloca[] : memref<f32>
    memref.store %3, %alloca[] : memref<f32>
    %c3 = arith.constant 3 : index
    %4 = arith.remui %arg4, %c3 : index
    %5 = memref.load %arg1[%4] : memref<3xf32>
    %c3_i8 = arith.constant 3 : i8
    %6 = affine.for %arg12 = 0 to 0 iter_args(%arg13 = %c3_i8) -> (i8) {
      affine.yield %arg13 : i8
    }
    memref.store %cst, %arg5[%0] : memref<3xf32>
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    memref.store %3, %arg5[%c1] : memref<3xf32>
    %c2 = arith.constant 2 : index
    memref.store %5, %arg5[%c2] : memref<3xf32>
    %c0 = arith.constant 0 : index
    memref.store %arg0, %arg6[%c0] : memref<3xi1>
    memref.store %false, %arg6[%c1] : memref<3xi1>
    memref.store %2, %arg6[%c2] : memref<3xi1>
    memref.store %arg2, %arg7[%c0] : memref<2xi32>
    memref.store %arg3, %arg7[%c1] : memref<2xi32>
    memref.store %c-127_i64, %arg8[%0] : memref<2xi64>
    memref.store %1, %arg8[%c1] : memref<2xi64>
    memref.store %c3_i8, %arg9[%0] : memref<2xi8>
    %c1_1 = arith.constant 1 : index
    memref.store %6, %arg9[%c1_1] : memref<2xi8>
    memref.store %arg4, %arg10[%c0] : memref<4xindex>
    memref.store %0, %arg10[%c1_1] : memref<4xindex>
    memref.store %c3, %arg10[%c2] : memref<4xindex>
    memref.store %4, %arg10[%c3] : memref<4xindex>
    memref.copy %alloca, %arg11 : memref<f32> to memref<f32>
    return
  }
}
