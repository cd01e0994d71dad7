// {"kind": "buffer-kernels", "entry": "chunk23", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", ["memref", [4], "f64"], [0, 0], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out5", ["memref", [1], "i32"], [0, 0], true], ["out6", ["memref", [2], "i1"], [0, 0], true], ["out7", ["memref", [4, 1], "i8"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [3], "f64"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out5", ["memref", [1], "i32"], [0, 0], true], ["out6", ["memref", [2], "i1"], [0, 0], true], ["out7", ["memref", [4, 1], "i8"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d2 * 2 + 1, d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @chunk23(%arg0: index, %arg1: memref<4xf64>, %arg2: memref<2xf32> {tilewright.output}, %arg3: memref<3xf64> {tilewright.output}, %arg4: memref<3xi1> {tilewright.output}, %arg5: memref<1xi32> {tilewright.output}, %arg6: memref<7xindex> {tilewright.output}, %arg7: memref<1xi32> {tilewright.output}, %arg8: memref<2xi1> {tilewright.output}, %arg9: memref<4x1xi8> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %subview = memref.subview %arg1[%c0] [4] [1] : memref<4xf64> to memref<4xf64, strided<[1], offset: ?>>
    %reinterpret_cast = memref.reinterpret_cast %arg1 to offset: [2], sizes: [1, 1], strides: [2, 2] : memref<4xf64> to memref<1x1xf64, strided<[2, 2], offset: 2>>
    %alloc = memref.alloc() : memref<4x3x1xi1>
    %false = arith.constant false
    linalg.fill ins(%false : i1) outs(%alloc : memref<4x3x1xi1>)
    %alloc_0 = memref.alloc() : memref<3x1x2xf32>
    %cst = arith.constant -3.750000e-01 : f32
    linalg.fill ins(%cst : f32) outs(%alloc_0 : memref<3x1x2xf32>)
    %alloc_1 = memref.alloc() : memref<1xi32>
    %c1 = arith.constant 1 : index
    %c1_2 = arith.constant 1 : index
    scf.for %arg10 = %c0 to %c1_2 step %c1 {
      %c0_i32 = arith.constant 0 : i32
      memref.store %c0_i32, %alloc_1[%arg10] : memref<1xi32>
    }
    %alloca = memref.alloca() : memref<2xi1>
    linalg.fill ins(%false : i1) outs(%alloca : memref<2xi1>)
    linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["reduction", "reduction", "parallel"]} ins(%alloc, %alloc_0, %alloc_1 : memref<4x3x1xi1>, memref<3x1x2xf32>, memref<1xi32>) outs(%alloca : memref<2xi1>) {
    ^bb0(%in: i1, %in_11: f32, %in_12: i32, %out: i1):
      %cst_13 = arith.constant 4.000000e+00 : f32
      %10 = arith.select %false, %cst_13, %in_11 : f32
      %cst_14 = arith.constant 0.51388501145630328 : f64
      %11 = arith.negf %cst_14 : f64
      %c7 = arith.constant 7 : index
      %c-2 = arith.constant -2 : index
      %12 = arith.cmpi ne, %c7, %c-2 : index
      %13 = arith.addi %out, %in : i1
      linalg.yield %13 : i1
    }
    %c3 = arith.constant 3 : index
    %0 = arith.remui %arg0, %c3 : index
    %1 = arith.remui %c3, %c1_2 : index
    %2 = memref.load %alloc_0[%0, %1, %c0] : memref<3x1x2xf32>
    %alloca_3 = memref.alloca() : memref<4x1xi8>
    %c4 = arith.constant 4 : index
    scf.for %arg10 = %c0 to %c4 step %c1_2 {
      scf.for %arg11 = %c0 to %c1 step %c1_2 {
        %c-70_i8 = arith.constant -70 : i8
        memref.store %c-70_i8, %alloca_3[%arg10, %arg11] : memref<4x1xi8>
      }
    }
    %3 = arith.cmpf ord, %2, %cst : f32
    %c1_4 = arith.constant 1 : index
    %4 = arith.remui %c4, %c1_4 : index
    %5 = memref.load %reinterpret_cast[%1, %4] : memref<1x1xf64, strided<[2, 2], offset: 2>>
    %subview_5 = memref.subview %arg1[0] [3] [1] : memref<4xf64> to memref<3xf64, strided<[1]>>
    %c1778139036_i32 = arith.constant 1778139036 : i32
    %c0_6 = arith.constant 0 : index
    memref.store %c1778139036_i32, %alloc_1[%c0_6] : memref<1xi32>
    %c5 = arith.constant 5 : index
    %6 = arith.subi %c5, %c5 : index
    %7 = arith.minimumf %5, %5 : f64
    %cst_7 = arith.constant 2.2250738585072014E-308 : f64
    %8 = arith.cmpf ugt, %cst_7, %5 : f64
    %c6 = arith.constant 6 : index
    %9 = arith.muli %0, %c6 : index
    memref.store %cst, %arg2[%4] : memref<2xf32>
    memref.store %2, %arg2[%c1] : memref<2xf32>
    memref.store %5, %arg3[%c0] : memref<3xf64>
    memref.store %7, %arg3[%c1_2] : memref<3xf64>
    %c2 = arith.constant 2 : index
    memref.store %cst_7, %arg3[%c2] : memref<3xf64>
    memref.store %false, %arg4[%4] : memref<3xi1>
    memref.store %3, %arg4[%c1] : memref<3xi1>
    memref.store %8, %arg4[%c2] : memref<3xi1>
    memref.store %c1778139036_i32, %arg5[%c0_6] : memref<1xi32>
    memref.store %4, %arg6[%c0] : memref<7xindex>
    memref.store %c0_6, %arg6[%c1_2] : memref<7xindex>
    memref.store %c5, %arg6[%c2] : memref<7xindex>
    memref.store %6, %arg6[%c3] : memref<7xindex>
    %c4_8 = arith.constant 4 : index
    memref.store %c6, %arg6[%c4_8] : memref<7xindex>
    %c5_9 = arith.constant 5 : index
    memref.store %9, %arg6[%c5_9] : memref<7xindex>
    %c6_10 = arith.constant 6 : index
    memref.store %c1, %arg6[%c6_10] : memref<7xindex>
    memref.copy %alloc_1, %arg7 : memref<1xi32> to memref<1xi32>
    memref.copy %alloca, %arg8 : memref<2xi1> to memref<2xi1>
    memref.copy %alloca_3, %arg9 : memref<4x1xi8> to memref<4x1xi8>
    return
  }
}
