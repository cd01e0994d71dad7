// {"kind": "affine", "entry": "chunk26", "traits": [], "arguments": [["a0", "i16", [0, 0], false], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]], "results": [["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [3], "i16"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true]]}
#map = affine_map<(d0)[s0] -> (d0)>
#map1 = affine_map<(d0, d1) -> ((d0 ceildiv 3 + d1) mod 3)>
#map2 = affine_map<(d0, d1) -> (d1 - 1)>
#map3 = affine_map<(d0, d1)[s0] -> (d1 * -9 + (d0 + 1) mod 3)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (((d0 * 2) floordiv 5) mod 3)>
#map6 = affine_map<(d0, d1)[s0] -> (d1 + 1)>
#map7 = affine_map<(d0, d1) -> ((d1 mod 3) floordiv 3 - d0 ceildiv 5)>
#map8 = affine_map<(d0)[s0] -> (s0 - 4)>
#map9 = affine_map<(d0, d1)[s0] -> (-(d1 + d1 + s0))>
#set = affine_set<(d0) : (-(d0 ceildiv 5) - 3 >= 0, 0 == 0)>
#set1 = affine_set<(d0, d1) : (d1 - d0 + d1 * 2 == 0, d0 mod 3 >= 0)>
module {
  memref.global "private" constant @chunk26_n39 : memref<1x2x2xf32> = dense<[[[-7.162830e+00, -0.18730171], [-3.750000e-01, 2.706770e+00]]]>
  func.func @chunk26(%arg0: i16, %arg1: memref<2xi1> {tilewright.output}, %arg2: memref<3xi16> {tilewright.output}, %arg3: memref<2xi32> {tilewright.output}, %arg4: memref<2xi64> {tilewright.output}, %arg5: memref<2xi8> {tilewright.output}, %arg6: memref<8xindex> {tilewright.output}) {
    %c1005019279_i32 = arith.constant 1005019279 : i32
    %c7_i8 = arith.constant 7 : i8
    %c6_i64 = arith.constant 6 : i64
    %0:3 = affine.for %arg7 = -2 to -1 iter_args(%arg8 = %c1005019279_i32, %arg9 = %c7_i8, %arg10 = %c6_i64) -> (i32, i8, i64) {
      %c0_5 = arith.constant 0 : index
      %c1_6 = arith.constant 1 : index
      %c2_7 = arith.constant 2 : index
      %true = arith.constant true
      %6:2 = scf.for %arg11 = %c0_5 to %c2_7 step %c1_6 iter_args(%arg12 = %arg8, %arg13 = %true) -> (i32, i1) {
        %9 = affine.apply #map(%c1_6)[%arg11]
        %c-5_i8 = arith.constant -5 : i8
        %10 = arith.extsi %c-5_i8 : i8 to i32
        %11 = arith.extsi %c-5_i8 : i8 to i32
        %12 = arith.addi %10, %11 overflow<nsw> : i32
        scf.yield %arg12, %arg13 : i32, i1
      }
      %c3_8 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %7 = affine.apply #map1(%c3_8, %c8)
      %8 = affine.for %arg11 = 0 to 2 step 2 iter_args(%arg12 = %arg0) -> (i16) {
        %c0_i16 = arith.constant 0 : i16
        %cst = arith.constant 1.600000e+01 : f32
        %9:3 = affine.if #set(%arg11) -> (i16, f32, f32) {
          %13 = affine.apply #map2(%7, %7)
          %cst_10 = arith.constant 5.000000e-01 : f32
          affine.yield %arg12, %cst_10, %cst_10 : i16, f32, f32
        } else {
          %13 = memref.get_global @chunk26_n39 : memref<1x2x2xf32>
          %c-4_i16 = arith.constant -4 : i16
          affine.yield %c-4_i16, %cst, %cst : i16, f32, f32
        }
        %c7_9 = arith.constant 7 : index
        %10 = affine.apply #map3(%arg11, %7)[%c7_9]
        %11 = affine.apply #map4(%arg11, %arg11)
        %12 = affine.apply #map5(%11, %arg11)
        affine.yield %9#0 : i16
      }
      affine.yield %6#0, %arg9, %arg10 : i32, i8, i64
    }
    %c5 = arith.constant 5 : index
    %c-2 = arith.constant -2 : index
    %c0 = arith.constant 0 : index
    %1 = affine.apply #map6(%c5, %c-2)[%c0]
    %c3 = arith.constant 3 : index
    %2 = affine.apply #map7(%c3, %c5)
    %c-4 = arith.constant -4 : index
    %c7 = arith.constant 7 : index
    %3 = affine.apply #map8(%c-4)[%c7]
    %c1 = arith.constant 1 : index
    %c-4_0 = arith.constant -4 : index
    %4 = affine.apply #map9(%c1, %c-4_0)[%3]
    %false = arith.constant false
    %c4_i16 = arith.constant 4 : i16
    %5:2 = affine.if #set1(%4, %c7) -> (i1, i16) {
      %alloc = memref.alloc() : memref<1xi64>
      linalg.fill ins(%c6_i64 : i64) outs(%alloc : memref<1xi64>)
      affine.yield %false, %c4_i16 : i1, i16
    } else {
      %c5_i16 = arith.constant 5 : i16
      affine.yield %false, %c5_i16 : i1, i16
    }
    memref.store %false, %arg1[%c0] : memref<2xi1>
    memref.store %5#0, %arg1[%c1] : memref<2xi1>
    memref.store %arg0, %arg2[%c0] : memref<3xi16>
    %c1_1 = arith.constant 1 : index
    memref.store %c4_i16, %arg2[%c1_1] : memref<3xi16>
    %c2 = arith.constant 2 : index
    memref.store %5#1, %arg2[%c2] : memref<3xi16>
    memref.store %c1005019279_i32, %arg3[%c0] : memref<2xi32>
    memref.store %0#0, %arg3[%c1_1] : memref<2xi32>
    %c0_2 = arith.constant 0 : index
    memref.store %c6_i64, %arg4[%c0_2] : memref<2xi64>
    memref.store %0#2, %arg4[%c1_1] : memref<2xi64>
    memref.store %c7_i8, %arg5[%c0] : memref<2xi8>
    memref.store %0#1, %arg5[%c1] : memref<2xi8>
    memref.store %c-4, %arg6[%c0] : memref<8xindex>
    memref.store %c7, %arg6[%c1_1] : memref<8xindex>
    memref.store %3, %arg6[%c2] : memref<8xindex>
    memref.store %c1, %arg6[%c3] : memref<8xindex>
    %c4 = arith.constant 4 : index
    %c4_3 = arith.constant 4 : index
    memref.store %c-4_0, %arg6[%c4] : memref<8xindex>
    memref.store %4, %arg6[%c5] : memref<8xindex>
    %c6 = arith.constant 6 : index
    memref.store %1, %arg6[%c6] : memref<8xindex>
    %c7_4 = arith.constant 7 : index
    memref.store %c3, %arg6[%c7_4] : memref<8xindex>
    return
  }
}
