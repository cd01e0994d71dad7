// {"kind": "memory", "entry": "chunk182", "traits": [], "arguments": [["a0", ["memref", [], "i8"], [0, 0], false], ["a1", ["memref", [2], "i8"], [0, 0], false], ["a2", "i1", [0, 0], false], ["a3", ["memref", [1, 1], "i1"], [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [4], "index"], [0, 0], true]]}
module {
  func.func @chunk182(%arg0: memref<i8>, %arg1: memref<2xi8>, %arg2: i1, %arg3: memref<1x1xi1>, %arg4: memref<4xf32> {tilewright.output}, %arg5: memref<3xf64> {tilewright.output}, %arg6: memref<1xi1> {tilewright.output}, %arg7: memref<1xi8> {tilewright.output}, %arg8: memref<4xindex> {tilewright.output}) {
    %cst = arith.constant 1.000000e+01 : f64
    %0 = arith.minimumf %cst, %cst : f64
    %cst_0 = arith.constant 1.48844707 : f32
    %1 = arith.divf %cst_0, %cst_0 : f32
    scf.if %arg2 {
    } else {
    }
    %c1 = arith.constant 1 : index
    %2 = memref.load %arg1[%c1] : memref<2xi8>
    %3 = math.trunc %1 : f32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %4 = scf.while (%arg9 = %c0) : (index) -> index {
      %6 = arith.cmpi slt, %arg9, %c2 : index
      scf.condition(%6) %arg9 : index
    } do {
    ^bb0(%arg9: index):
      %c8 = arith.constant 8 : index
      %6 = arith.ceildivsi %c2, %c8 : index
      %7 = arith.cmpf olt, %cst_0, %3 : f32
      %c0_4 = arith.constant 0 : index
      %8 = arith.remui %arg9, %c1 : index
      %9 = memref.load %arg3[%c0_4, %8] : memref<1x1xi1>
      %10 = arith.addi %arg9, %c1 : index
      scf.yield %10 : index
    }
    %5:2 = scf.if %arg2 -> (f64, f32) {
      %6 = arith.ori %2, %2 : i8
      %c32767_i16 = arith.constant 32767 : i16
      %c-10792_i16 = arith.constant -10792 : i16
      %7 = arith.muli %c32767_i16, %c-10792_i16 : i16
      %cst_4 = arith.constant 1.000000e+00 : f32
      scf.yield %cst, %cst_4 : f64, f32
    } else {
      %6 = arith.cmpf ord, %0, %0 : f64
      %cst_4 = arith.constant 1.000000e+00 : f64
      %7 = arith.select %6, %0, %cst_4 : f64
      %8 = arith.bitcast %7 : f64 to i64
      %9 = memref.load %arg3[%c0, %c0] : memref<1x1xi1>
      %10 = arith.truncf %7 : f64 to f32
      %cst_5 = arith.constant 110.804886 : f32
      scf.yield %7, %cst_5 : f64, f32
    }
    %expand_shape = memref.expand_shape %arg1 [[0, 1]] output_shape [1, 2] : memref<2xi8> into memref<1x2xi8>
    %c0_2 = arith.constant 0 : index
    %c0_3 = arith.constant 0 : index
    memref.store %cst_0, %arg4[%c0_2] : memref<4xf32>
    memref.store %1, %arg4[%c1] : memref<4xf32>
    memref.store %3, %arg4[%c2] : memref<4xf32>
    %c3 = arith.constant 3 : index
    memref.store %5#1, %arg4[%c3] : memref<4xf32>
    memref.store %cst, %arg5[%c0_2] : memref<3xf64>
    memref.store %0, %arg5[%c1] : memref<3xf64>
    memref.store %5#0, %arg5[%c2] : memref<3xf64>
    memref.store %arg2, %arg6[%c0] : memref<1xi1>
    memref.store %2, %arg7[%c0_2] : memref<1xi8>
    memref.store %c1, %arg8[%c0] : memref<4xindex>
    memref.store %c2, %arg8[%c1] : memref<4xindex>
    memref.store %c0, %arg8[%c2] : memref<4xindex>
    memref.store %4, %arg8[%c3] : memref<4xindex>
    return
  }
}
