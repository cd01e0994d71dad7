// {"kind": "affine", "entry": "chunk152", "traits": [], "arguments": [["a0", ["memref", [1, 1], "i8"], [0, 0], false], ["a1", "i16", [0, 0], false], ["a2", ["memref", [], "i64"], [0, 0], false], ["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [7], "f32"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1)[s0] -> (d0, -2)>
#map1 = affine_map<(d0) -> ((d0 mod 3) floordiv 5)>
#map2 = affine_map<(d0, d1) -> (d1 + d1 floordiv 3 + d1 * 6 - 4)>
#map3 = affine_map<(d0, d1) -> (-(d0 ceildiv 2))>
#map4 = affine_map<(d0) -> ((-d0) floordiv 5 + 2)>
module {
  func.func @chunk152(%arg0: memref<1x1xi8>, %arg1: i16, %arg2: memref<i64>, %arg3: memref<7xf32> {tilewright.output}, %arg4: memref<1xi1> {tilewright.output}, %arg5: memref<2xi16> {tilewright.output}, %arg6: memref<1xi32> {tilewright.output}, %arg7: memref<2xi64> {tilewright.output}, %arg8: memref<1xi8> {tilewright.output}, %arg9: memref<6xindex> {tilewright.output}) {
    %c-3 = arith.constant -3 : index
    %c-2 = arith.constant -2 : index
    %c-3_0 = arith.constant -3 : index
    %0 = affine.min #map(%c-3, %c-2)[%c-3_0]
    %c8_i64 = arith.constant 8 : i64
    %1 = affine.for %arg10 = -2 to -2 step 2 iter_args(%arg11 = %c8_i64) -> (i64) {
      %12 = affine.for %arg12 = 0 to 4 iter_args(%arg13 = %arg1) -> (i16) {
        %c1_6 = arith.constant 1 : index
        %c-1 = arith.constant -1 : index
        %13 = scf.for %arg14 = %c-3 to %c-1 step %c1_6 iter_args(%arg15 = %c8_i64) -> (i64) {
          %c1_i32 = arith.constant 1 : i32
          %17 = arith.extsi %c1_i32 : i32 to i64
          %18 = arith.extsi %c1_i32 : i32 to i64
          %19 = arith.muli %17, %18 overflow<nsw> : i64
          %20 = memref.load %arg2[] : memref<i64>
          %alloc = memref.alloc() : memref<i64>
          linalg.fill ins(%arg11 : i64) outs(%alloc : memref<i64>)
          memref.copy %arg2, %alloc : memref<i64> to memref<i64>
          %21 = affine.apply #map1(%arg12)
          scf.yield %19 : i64
        }
        %c0_7 = arith.constant 0 : index
        %c3_8 = arith.constant 3 : index
        %14 = scf.for %arg14 = %c0_7 to %c3_8 step %c1_6 iter_args(%arg15 = %c8_i64) -> (i64) {
          %c885110789_i32 = arith.constant 885110789 : i32
          %17 = arith.addi %c885110789_i32, %c885110789_i32 : i32
          scf.yield %arg11 : i64
        }
        %15 = affine.load %arg0[0, 0] : memref<1x1xi8>
        %16 = affine.apply #map2(%arg12, %arg12)
        affine.yield %arg1 : i16
      }
      %c2147483647_i64 = arith.constant 2147483647 : i64
      affine.yield %c2147483647_i64 : i64
    }
    %2 = affine.for %arg10 = 0 to 4 iter_args(%arg11 = %arg1) -> (i16) {
      %cst_6 = arith.constant 5.000000e-01 : f64
      %12 = math.absf %cst_6 : f64
      %13 = math.absf %12 : f64
      %14 = arith.maxnumf %12, %13 : f64
      %c0_7 = arith.constant 0 : index
      %c1_8 = arith.constant 1 : index
      %c4_9 = arith.constant 4 : index
      %c1_i8 = arith.constant 1 : i8
      %15:4 = scf.for %arg12 = %c0_7 to %c4_9 step %c1_8 iter_args(%arg13 = %c1_i8, %arg14 = %arg1, %arg15 = %1, %arg16 = %c1_i8) -> (i8, i16, i64, i8) {
        %alloc = memref.alloc() : memref<3x3x1xi8>
        linalg.fill ins(%arg16 : i8) outs(%alloc : memref<3x3x1xi8>)
        scf.yield %arg13, %arg11, %1, %arg13 : i8, i16, i64, i8
      }
      %16 = affine.apply #map3(%arg10, %arg10)
      affine.yield %arg11 : i16
    }
    %c6 = arith.constant 6 : index
    %3 = affine.apply #map4(%c6)
    %4 = affine.load %arg0[0, 0] : memref<1x1xi8>
    %cst = arith.constant 1.000000e+00 : f32
    %5 = arith.cmpf ord, %cst, %cst : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %6 = arith.select %5, %cst, %cst_1 : f32
    %7 = arith.select %5, %cst, %cst_1 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %8 = arith.maximumf %6, %cst_2 : f32
    %cst_3 = arith.constant 2.480000e+02 : f32
    %9 = arith.minimumf %8, %cst_3 : f32
    %10 = arith.fptoui %9 : f32 to i32
    %11 = arith.fptoui %9 : f32 to i32
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg3[%c0] : memref<7xf32>
    %c1 = arith.constant 1 : index
    memref.store %cst_1, %arg3[%c1] : memref<7xf32>
    %c2 = arith.constant 2 : index
    memref.store %6, %arg3[%c2] : memref<7xf32>
    %c3 = arith.constant 3 : index
    memref.store %cst_2, %arg3[%c3] : memref<7xf32>
    %c4 = arith.constant 4 : index
    memref.store %8, %arg3[%c4] : memref<7xf32>
    %c5 = arith.constant 5 : index
    memref.store %cst_3, %arg3[%c5] : memref<7xf32>
    memref.store %9, %arg3[%c6] : memref<7xf32>
    memref.store %5, %arg4[%c0] : memref<1xi1>
    memref.store %arg1, %arg5[%c0] : memref<2xi16>
    memref.store %2, %arg5[%c1] : memref<2xi16>
    memref.store %10, %arg6[%c0] : memref<1xi32>
    memref.store %c8_i64, %arg7[%c0] : memref<2xi64>
    memref.store %1, %arg7[%c1] : memref<2xi64>
    %c0_4 = arith.constant 0 : index
    memref.store %4, %arg8[%c0_4] : memref<1xi8>
    memref.store %c-3, %arg9[%c0] : memref<6xindex>
    memref.store %c-2, %arg9[%c1] : memref<6xindex>
    %c2_5 = arith.constant 2 : index
    memref.store %c-3_0, %arg9[%c2_5] : memref<6xindex>
    memref.store %0, %arg9[%c3] : memref<6xindex>
    memref.store %c6, %arg9[%c4] : memref<6xindex>
    memref.store %3, %arg9[%c5] : memref<6xindex>
    return
  }
}
