// {"kind": "memory", "entry": "chunk98", "traits": [], "arguments": [["a0", ["memref", [1], "f32"], [0, 0], false], ["a1", "f32", [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out6", ["memref", [1], "f32"], [0, 0], true], ["out7", ["memref", [], "f32"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true], ["out6", ["memref", [1], "f32"], [0, 0], true], ["out7", ["memref", [], "f32"], [0, 0], true]]}
module {
  func.func @chunk98(%arg0: memref<1xf32>, %arg1: f32, %arg2: memref<4xf32> {tilewright.output}, %arg3: memref<4xf64> {tilewright.output}, %arg4: memref<2xi1> {tilewright.output}, %arg5: memref<2xi16> {tilewright.output}, %arg6: memref<3xi64> {tilewright.output}, %arg7: memref<5xindex> {tilewright.output}, %arg8: memref<1xf32> {tilewright.output}, %arg9: memref<f32> {tilewright.output}) {
    %alloca = memref.alloca() : memref<1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg10 = %c0 to %c1 step %c1 {
      memref.store %arg1, %alloca[%arg10] : memref<1xf32>
    }
    linalg.add ins(%arg0, %arg0 : memref<1xf32>, memref<1xf32>) outs(%alloca : memref<1xf32>)
    %subview = memref.subview %alloca[%c0] [1] [1] : memref<1xf32> to memref<f32, strided<[], offset: ?>>
    %false = arith.constant false
    %c-3_i16 = arith.constant -3 : i16
    %0 = arith.select %false, %c-3_i16, %c-3_i16 : i16
    %alloc = memref.alloc() : memref<f32>
    %cst = arith.constant -0.262785137 : f32
    linalg.fill ins(%cst : f32) outs(%alloc : memref<f32>)
    memref.copy %subview, %alloc : memref<f32, strided<[], offset: ?>> to memref<f32>
    memref.store %cst, %subview[] : memref<f32, strided<[], offset: ?>>
    memref.store %cst, %alloca[%c0] : memref<1xf32>
    %c-257_i64 = arith.constant -257 : i64
    %1 = arith.sitofp %c-257_i64 : i64 to f64
    %cst_0 = arith.constant 1.000000e+00 : f32
    %2 = arith.extf %cst_0 : f32 to f64
    %3 = arith.andi %c-257_i64, %c-257_i64 : i64
    %c1_1 = arith.constant 1 : index
    %4 = arith.remui %c1, %c1_1 : index
    memref.store %arg1, %alloca[%4] : memref<1xf32>
    %5 = arith.remui %c1_1, %c1 : index
    %6 = memref.load %arg0[%5] : memref<1xf32>
    %7 = arith.cmpf ord, %1, %1 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %8 = arith.select %7, %1, %cst_2 : f64
    %9 = arith.bitcast %8 : f64 to i64
    memref.store %arg1, %arg2[%c0] : memref<4xf32>
    %c1_3 = arith.constant 1 : index
    memref.store %cst, %arg2[%c1_3] : memref<4xf32>
    %c2 = arith.constant 2 : index
    memref.store %cst_0, %arg2[%c2] : memref<4xf32>
    %c3 = arith.constant 3 : index
    memref.store %6, %arg2[%c3] : memref<4xf32>
    %c0_4 = arith.constant 0 : index
    memref.store %1, %arg3[%c0_4] : memref<4xf64>
    %c1_5 = arith.constant 1 : index
    memref.store %2, %arg3[%c1_5] : memref<4xf64>
    memref.store %cst_2, %arg3[%c2] : memref<4xf64>
    memref.store %8, %arg3[%c3] : memref<4xf64>
    memref.store %false, %arg4[%c0] : memref<2xi1>
    memref.store %7, %arg4[%c1_1] : memref<2xi1>
    memref.store %c-3_i16, %arg5[%5] : memref<2xi16>
    memref.store %0, %arg5[%c1_5] : memref<2xi16>
    memref.store %c-257_i64, %arg6[%5] : memref<3xi64>
    memref.store %3, %arg6[%c1_3] : memref<3xi64>
    memref.store %9, %arg6[%c2] : memref<3xi64>
    %c0_6 = arith.constant 0 : index
    memref.store %c0, %arg7[%c0_6] : memref<5xindex>
    memref.store %c1, %arg7[%c1_3] : memref<5xindex>
    %c2_7 = arith.constant 2 : index
    memref.store %c1_1, %arg7[%c2_7] : memref<5xindex>
    %c3_8 = arith.constant 3 : index
    memref.store %4, %arg7[%c3_8] : memref<5xindex>
    %c4 = arith.constant 4 : index
    memref.store %5, %arg7[%c4] : memref<5xindex>
    memref.copy %alloca, %arg8 : memref<1xf32> to memref<1xf32>
    memref.copy %alloc, %arg9 : memref<f32> to memref<f32>
    return
  }
}
