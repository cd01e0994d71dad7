// {"kind": "affine", "entry": "chunk68", "traits": [], "arguments": [["a0", ["memref", [2, 1], "i1"], [0, 0], false], ["a1", ["memref", [2], "f32"], [0, 0], false], ["a2", "index", [0, 7], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [5], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [2], "i16"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0) -> (d0 ceildiv 2)>
#map2 = affine_map<(d0, d1) -> (-9, d0)>
#map3 = affine_map<(d0, d1)[s0] -> ((s0 * -2) floordiv 3)>
#map4 = affine_map<(d0, d1)[s0] -> ((s0 floordiv 3) mod 5)>
#map5 = affine_map<(d0) -> ((-d0 + 6) * -3, d0 floordiv 5)>
#map6 = affine_map<(d0)[s0] -> (0)>
#map7 = affine_map<(d0, d1) -> (d1 mod 5)>
#map8 = affine_map<(d0, d1) -> ((d0 - d1) floordiv 5)>
#map9 = affine_map<(d0)[s0] -> (-(d0 ceildiv 5) + s0, d0 mod 3)>
#map10 = affine_map<(d0) -> (d0 floordiv 5 - d0)>
#set = affine_set<(d0) : (-2 == 0)>
module {
  func.func @chunk68(%arg0: memref<2x1xi1>, %arg1: memref<2xf32>, %arg2: index, %arg3: memref<2xf32> {tilewright.output}, %arg4: memref<5xf64> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<2xi16> {tilewright.output}, %arg7: memref<3xi8> {tilewright.output}, %arg8: memref<7xindex> {tilewright.output}) {
    %cst = arith.constant 2.500000e+00 : f64
    %0 = affine.for %arg9 = 0 to 2 iter_args(%arg10 = %cst) -> (f64) {
      %alloc = memref.alloc() : memref<3x4xf32>
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %arg11 = %c0_4 to %c3 step %c1_5 {
        %c4_7 = arith.constant 4 : index
        scf.for %arg12 = %c0_4 to %c4_7 step %c1_5 {
          %cst_8 = arith.constant 1.46620846 : f32
          memref.store %cst_8, %alloc[%arg11, %arg12] : memref<3x4xf32>
        }
      }
      %cst_6 = arith.constant -0.000000e+00 : f64
      affine.yield %cst_6 : f64
    }
    %1 = affine.apply #map(%arg2, %arg2)
    %c6 = arith.constant 6 : index
    %2 = affine.apply #map1(%c6)
    %c-6298_i16 = arith.constant -6298 : i16
    %cst_0 = arith.constant -3.750000e-01 : f64
    %3:2 = affine.for %arg9 = 1 to 4 iter_args(%arg10 = %c-6298_i16, %arg11 = %cst_0) -> (i16, f64) {
      %13 = affine.load %arg0[(%arg9 + 1) mod 2, 0] : memref<2x1xi1>
      %cst_4 = arith.constant 1.000000e+00 : f32
      %14 = arith.maximumf %cst_4, %cst_4 : f32
      %15 = arith.index_castui %arg2 : index to i32
      affine.yield %c-6298_i16, %0 : i16, f64
    }
    %4 = affine.min #map2(%arg2, %1)
    %5 = affine.apply #map3(%1, %c6)[%1]
    %cst_1 = arith.constant -1.7976931348623157E+308 : f64
    %6 = arith.cmpf ult, %cst_1, %3#1 : f64
    %c2 = arith.constant 2 : index
    %7 = affine.apply #map4(%arg2, %c2)[%1]
    %c5 = arith.constant 5 : index
    %8 = affine.min #map5(%c5)
    %c-2 = arith.constant -2 : index
    %c-1 = arith.constant -1 : index
    %9 = affine.apply #map6(%c-2)[%c-1]
    %cst_2 = arith.constant 0.000000e+00 : f32
    %10:2 = affine.for %arg9 = 0 to 3 iter_args(%arg10 = %cst_2, %arg11 = %6) -> (f32, i1) {
      %true = arith.constant true
      %13:2 = scf.execute_region -> (i1, i16) {
        %c2_i64 = arith.constant 2 : i64
        %16:2 = affine.for %arg12 = 0 to 3 iter_args(%arg13 = %arg11, %arg14 = %c2_i64) -> (i1, i64) {
          %18 = affine.apply #map7(%1, %arg12)
          %19 = arith.remui %c2, %c2 : index
          %20 = memref.load %arg1[%19] : memref<2xf32>
          %alloc_7 = memref.alloc() : memref<2xf32>
          %c1_8 = arith.constant 1 : index
          %c2_9 = arith.constant 2 : index
          scf.for %arg15 = %9 to %c2_9 step %c1_8 {
            memref.store %cst_2, %alloc_7[%arg15] : memref<2xf32>
          }
          memref.copy %arg1, %alloc_7 : memref<2xf32> to memref<2xf32>
          affine.store %20, %alloc_7[0] : memref<2xf32>
          affine.yield %arg13, %c2_i64 : i1, i64
        }
        %c-570384639_i32 = arith.constant -570384639 : i32
        %17:2 = affine.if #set(%arg9) -> (i32, i16) {
          %18 = affine.apply #map8(%arg9, %8)
          %19 = affine.load %arg0[1, 0] : memref<2x1xi1>
          affine.yield %c-570384639_i32, %c-6298_i16 : i32, i16
        } else {
          %18 = affine.min #map9(%c2)[%9]
          %19 = affine.load %arg0[0, 0] : memref<2x1xi1>
          %c27478_i16 = arith.constant 27478 : i16
          affine.yield %c-570384639_i32, %c27478_i16 : i32, i16
        }
        scf.yield %arg11, %17#1 : i1, i16
      }
      %c2_4 = arith.constant 2 : index
      %c4_5 = arith.constant 4 : index
      %c1_6 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %alloc = memref.alloc() : memref<2x2xi64>
      %c-9223372036854775807_i64 = arith.constant -9223372036854775807 : i64
      linalg.fill ins(%c-9223372036854775807_i64 : i64) outs(%alloc : memref<2x2xi64>)
      scf.parallel (%arg12, %arg13) = (%c2, %c1_6) to (%c4_5, %c3) step (%c2_4, %c1_6) {
        %alloc_7 = memref.alloc() : memref<2x1xi1>
        %true_8 = arith.constant true
        linalg.fill ins(%true_8 : i1) outs(%alloc_7 : memref<2x1xi1>)
        %16 = arith.trunci %c-9223372036854775807_i64 : i64 to i8
        %17 = arith.subi %arg12, %c2 : index
        %18 = arith.subi %arg13, %c1_6 : index
        memref.store %c-9223372036854775807_i64, %alloc[%17, %18] : memref<2x2xi64>
        scf.reduce 
      }
      %14 = affine.apply #map10(%1)
      %15 = arith.muli %arg11, %arg11 : i1
      affine.yield %arg10, %arg11 : f32, i1
    }
    %c-52_i8 = arith.constant -52 : i8
    %c63_i8 = arith.constant 63 : i8
    %11 = arith.andi %c-52_i8, %c63_i8 : i8
    %12 = arith.index_cast %11 : i8 to index
    memref.store %cst_2, %arg3[%9] : memref<2xf32>
    %c1 = arith.constant 1 : index
    memref.store %10#0, %arg3[%c1] : memref<2xf32>
    %c0 = arith.constant 0 : index
    memref.store %cst, %arg4[%c0] : memref<5xf64>
    memref.store %0, %arg4[%c1] : memref<5xf64>
    %c2_3 = arith.constant 2 : index
    memref.store %cst_0, %arg4[%c2_3] : memref<5xf64>
    memref.store %3#1, %arg4[%2] : memref<5xf64>
    %c4 = arith.constant 4 : index
    memref.store %cst_1, %arg4[%c4] : memref<5xf64>
    memref.store %6, %arg5[%c0] : memref<2xi1>
    memref.store %10#1, %arg5[%c1] : memref<2xi1>
    memref.store %c-6298_i16, %arg6[%c0] : memref<2xi16>
    memref.store %3#0, %arg6[%c1] : memref<2xi16>
    memref.store %c-52_i8, %arg7[%c0] : memref<3xi8>
    memref.store %c63_i8, %arg7[%c1] : memref<3xi8>
    memref.store %11, %arg7[%c2_3] : memref<3xi8>
    memref.store %c5, %arg8[%9] : memref<7xindex>
    memref.store %8, %arg8[%c1] : memref<7xindex>
    memref.store %c-2, %arg8[%c2] : memref<7xindex>
    memref.store %c-1, %arg8[%2] : memref<7xindex>
    memref.store %9, %arg8[%c4] : memref<7xindex>
    memref.store %12, %arg8[%c5] : memref<7xindex>
    memref.store %1, %arg8[%c6] : memref<7xindex>
    return
  }
}
