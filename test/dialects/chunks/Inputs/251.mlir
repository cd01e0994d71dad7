// {"kind": "mixed", "entry": "chunk251", "traits": [], "arguments": [["a4", "f64", [0, 0], false], ["a5", "index", [0, 7], false], ["a6", "i8", [0, 0], false], ["a7", ["memref", [4, 1, 4], "i8"], [0, 0], false], ["a8", ["memref", [1, 1], "i8"], [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [1, 1], "i8"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [1], "f64"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out6", ["memref", [1, 1], "i8"], [0, 0], true]]}
module {
  func.func private @chunk251_n1(%arg0: i64) {
    %c-5_i8 = arith.constant -5 : i8
    %0 = arith.maxsi %c-5_i8, %c-5_i8 : i8
    return
  }
  func.func @chunk251(%arg0: f64, %arg1: index, %arg2: i8, %arg3: memref<4x1x4xi8>, %arg4: memref<1x1xi8>, %arg5: memref<4xf32> {tilewright.output}, %arg6: memref<1xf64> {tilewright.output}, %arg7: memref<1xi32> {tilewright.output}, %arg8: memref<1xi64> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<7xindex> {tilewright.output}, %arg11: memref<1x1xi8> {tilewright.output}) {
    %0 = arith.index_cast %arg1 : index to i8
    %1 = arith.index_cast %arg1 : index to i8
    %cst = arith.constant -8.000000e+00 : f32
    %2 = arith.mulf %cst, %cst : f32
    %c6 = arith.constant 6 : index
    %c3 = arith.constant 3 : index
    %3 = arith.remui %c6, %c3 : index
    %cst_0 = arith.constant -1.000000e+00 : f32
    %4 = math.fma %2, %cst_0, %cst : f32
    %5 = arith.index_castui %3 : index to i32
    %c4 = arith.constant 4 : index
    %6 = arith.subi %arg1, %c4 : index
    %7 = arith.subi %arg1, %c4 : index
    %c-128_i64 = arith.constant -128 : i64
    call @chunk251_n1(%c-128_i64) : (i64) -> ()
    %subview = memref.subview %arg4[0, 0] [1, 1] [1, 1] : memref<1x1xi8> to memref<1x1xi8, strided<[1, 1]>>
    %alloc = memref.alloc() : memref<1x1xi8>
    linalg.fill ins(%0 : i8) outs(%alloc : memref<1x1xi8>)
    linalg.max ins(%subview, %arg4 : memref<1x1xi8, strided<[1, 1]>>, memref<1x1xi8>) outs(%alloc : memref<1x1xi8>)
    %c0 = arith.constant 0 : index
    memref.store %arg2, %alloc[%c0, %c0] : memref<1x1xi8>
    memref.store %cst, %arg5[%c0] : memref<4xf32>
    %c1 = arith.constant 1 : index
    memref.store %2, %arg5[%c1] : memref<4xf32>
    %c2 = arith.constant 2 : index
    memref.store %cst_0, %arg5[%c2] : memref<4xf32>
    memref.store %4, %arg5[%c3] : memref<4xf32>
    memref.store %arg0, %arg6[%c0] : memref<1xf64>
    memref.store %5, %arg7[%c0] : memref<1xi32>
    memref.store %c-128_i64, %arg8[%c0] : memref<1xi64>
    %c0_1 = arith.constant 0 : index
    memref.store %arg2, %arg9[%c0_1] : memref<2xi8>
    memref.store %0, %arg9[%c1] : memref<2xi8>
    memref.store %arg1, %arg10[%c0_1] : memref<7xindex>
    memref.store %c6, %arg10[%c1] : memref<7xindex>
    memref.store %c3, %arg10[%c2] : memref<7xindex>
    memref.store %3, %arg10[%c3] : memref<7xindex>
    memref.store %c4, %arg10[%c4] : memref<7xindex>
    %c5 = arith.constant 5 : index
    memref.store %6, %arg10[%c5] : memref<7xindex>
    memref.store %c0, %arg10[%c6] : memref<7xindex>
    memref.copy %alloc, %arg11 : memref<1x1xi8> to memref<1x1xi8>
    return
  }
}
