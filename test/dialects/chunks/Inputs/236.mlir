// {"kind": "affine", "entry": "chunk236", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [6], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [2], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i32", ["memref", [3], "i32"], [0, 0], true], ["out_i64", ["memref", [6], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1)[s0] -> (d0 + s0)>
#map1 = affine_map<(d0) -> (d0 * -3)>
#map2 = affine_map<(d0)[s0] -> (s0 floordiv 3 + 1)>
#map3 = affine_map<(d0) -> (((d0 ceildiv 5) * -3) ceildiv 2)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0 mod 5 - 4)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1)[s0] -> ((-(d0 - 1) + s0 mod 5) mod 2)>
#map8 = affine_map<(d0) -> ((d0 mod 2) floordiv 5)>
#map9 = affine_map<(d0) -> ((d0 floordiv 5) floordiv 2 + d0)>
#map10 = affine_map<(d0)[s0] -> (1)>
#map11 = affine_map<(d0)[s0] -> (s0)>
#map12 = affine_map<(d0) -> (d0 floordiv 5)>
#map13 = affine_map<(d0, d1)[s0] -> (0)>
#map14 = affine_map<(d0)[s0] -> (((d0 - 3) ceildiv 5) mod 3)>
#map15 = affine_map<(d0) -> ((d0 * -3) floordiv 5)>
#map16 = affine_map<(d0, d1) -> (0)>
#map17 = affine_map<(d0) -> (3)>
#set = affine_set<(d0) : ((d0 + 1) floordiv 2 >= 0)>
#set1 = affine_set<(d0) : (4 >= 0)>
module {
  memref.global "private" constant @chunk236_n24 : memref<1x2xf32> = dense<[[-1.000000e+00, 1.17549421E-38]]>
  func.func @chunk236(%arg0: index, %arg1: memref<2xf32> {tilewright.output}, %arg2: memref<4xf64> {tilewright.output}, %arg3: memref<1xi1> {tilewright.output}, %arg4: memref<3xi32> {tilewright.output}, %arg5: memref<6xi64> {tilewright.output}, %arg6: memref<3xi8> {tilewright.output}, %arg7: memref<7xindex> {tilewright.output}) {
    %0 = arith.index_cast %arg0 : index to i32
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant -2.2250738585072014E-308 : f64
    %cst_0 = arith.constant 1.250000e-01 : f64
    %1:2 = scf.for %arg8 = %c-3 to %c1 step %c1 iter_args(%arg9 = %cst, %arg10 = %cst_0) -> (f64, f64) {
      %16 = arith.sitofp %0 : i32 to f32
      %17 = arith.sitofp %0 : i32 to f32
      %18 = affine.apply #map(%arg0, %arg0)[%arg0]
      %c-2 = arith.constant -2 : index
      %19 = affine.apply #map1(%c-2)
      %c7_i8_5 = arith.constant 7 : i8
      %cst_6 = arith.constant -3.750000e-01 : f32
      %20:2 = affine.for %arg11 = 0 to 1 iter_args(%arg12 = %c7_i8_5, %arg13 = %cst_6) -> (i8, f32) {
        %22 = memref.get_global @chunk236_n24 : memref<1x2xf32>
        %reinterpret_cast = memref.reinterpret_cast %22 to offset: [0], sizes: [1, 1], strides: [4, 1] : memref<1x2xf32> to memref<1x1xf32, strided<[4, 1]>>
        %23 = affine.apply #map2(%18)[%arg8]
        affine.yield %c7_i8_5, %arg13 : i8, f32
      }
      %c7 = arith.constant 7 : index
      %21 = affine.apply #map3(%c7)
      scf.yield %cst_0, %arg9 : f64, f64
    }
    %c1_i32 = arith.constant 1 : i32
    %2 = arith.andi %0, %c1_i32 : i32
    %3 = arith.index_cast %2 : i32 to index
    %c1_i8 = arith.constant 1 : i8
    %4 = arith.trunci %c1_i8 : i8 to i1
    %5 = affine.apply #map4(%3, %arg0)
    %6 = affine.apply #map5(%arg0)
    scf.if %4 {
      %16 = affine.apply #map6(%arg0)
      %17 = affine.apply #map7(%16, %3)[%3]
    } else {
      %c3_5 = arith.constant 3 : index
      %c0_6 = arith.constant 0 : index
      %16 = scf.while (%arg8 = %c0_6) : (index) -> index {
        %18 = arith.cmpi slt, %arg8, %c3_5 : index
        scf.condition(%18) %arg8 : index
      } do {
      ^bb0(%arg8: index):
        %18 = arith.addi %arg8, %c1 : index
        scf.yield %18 : index
      }
      %alloc = memref.alloc() : memref<i32>
      linalg.fill ins(%c1_i32 : i32) outs(%alloc : memref<i32>)
      %c-9223372036854775808_i64 = arith.constant -9223372036854775808 : i64
      %17 = arith.ori %c-9223372036854775808_i64, %c-9223372036854775808_i64 : i64
    }
    %c7_i64 = arith.constant 7 : i64
    %c7_i64_1 = arith.constant 7 : i64
    %7 = arith.andi %c7_i64, %c7_i64_1 : i64
    %c1_i64 = arith.constant 1 : i64
    %8 = arith.ori %7, %c1_i64 : i64
    %9 = arith.floordivsi %c7_i64, %8 : i64
    %cst_2 = arith.constant 5.000000e-01 : f32
    %10 = scf.if %4 -> (f32) {
      %16 = arith.maximumf %cst, %cst : f64
      %17 = arith.maximumf %cst, %cst : f64
      %18 = affine.apply #map8(%arg0)
      scf.yield %cst_2 : f32
    } else {
      %16 = affine.apply #map9(%5)
      %17 = affine.apply #map6(%3)
      scf.yield %cst_2 : f32
    }
    %c7_i8 = arith.constant 7 : i8
    %11 = arith.shrsi %c7_i8, %c7_i8 : i8
    %c5 = arith.constant 5 : index
    %12 = affine.apply #map10(%c5)[%6]
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    %13 = scf.while (%arg8 = %c0) : (index) -> index {
      %16 = arith.cmpi slt, %arg8, %c2 : index
      %false = arith.constant false
      %17 = arith.andi %16, %false : i1
      scf.condition(%17) %arg8 : index
    } do {
    ^bb0(%arg8: index):
      %16 = affine.for %arg9 = 1 to 9 step 3 iter_args(%arg10 = %4) -> (i1) {
        %20 = affine.apply #map4(%arg0, %arg9)
        %21 = affine.for %arg11 = 1 to 9 step 2 iter_args(%arg12 = %1#0) -> (f64) {
          %22 = affine.apply #map11(%20)[%arg9]
          %alloca = memref.alloca() : memref<2x4xf32>
          linalg.fill ins(%10 : f32) outs(%alloca : memref<2x4xf32>)
          %23 = affine.apply #map12(%20)
          affine.yield %arg12 : f64
        }
        affine.yield %4 : i1
      }
      %c7 = arith.constant 7 : index
      %false = arith.constant false
      %c-257_i16 = arith.constant -257 : i16
      %17:4 = scf.for %arg9 = %c2 to %c7 step %c1_3 iter_args(%arg10 = %false, %arg11 = %10, %arg12 = %c-257_i16, %arg13 = %1#0) -> (i1, f32, i16, f64) {
        %20 = affine.apply #map13(%5, %arg9)[%c7]
        scf.yield %arg10, %arg11, %arg12, %arg13 : i1, f32, i16, f64
      }
      %18:3 = affine.if #set(%6) -> (i16, f32, i32) {
        %20 = affine.apply #map14(%3)[%6]
        %21:3 = affine.if #set1(%c2) -> (i32, i32, f32) {
          affine.yield %2, %c1_i32, %10 : i32, i32, f32
        } else {
          %22 = affine.apply #map15(%arg0)
          %c-943201989_i32 = arith.constant -943201989 : i32
          affine.yield %c1_i32, %c-943201989_i32, %17#1 : i32, i32, f32
        }
        %c26792_i16 = arith.constant 26792 : i16
        affine.yield %c26792_i16, %21#2, %21#0 : i16, f32, i32
      } else {
        %c5_i16 = arith.constant 5 : i16
        %cst_5 = arith.constant -1.10662627 : f32
        affine.yield %c5_i16, %cst_5, %c1_i32 : i16, f32, i32
      }
      %19 = arith.addi %arg8, %c1_3 : index
      scf.yield %19 : index
    }
    %14 = affine.apply #map16(%5, %13)
    %15 = affine.apply #map17(%13)
    memref.store %cst_2, %arg1[%14] : memref<2xf32>
    memref.store %10, %arg1[%c1_3] : memref<2xf32>
    memref.store %cst, %arg2[%c0] : memref<4xf64>
    memref.store %cst_0, %arg2[%c1_3] : memref<4xf64>
    memref.store %1#0, %arg2[%c2] : memref<4xf64>
    %c3 = arith.constant 3 : index
    memref.store %1#1, %arg2[%c3] : memref<4xf64>
    memref.store %4, %arg3[%14] : memref<1xi1>
    memref.store %0, %arg4[%14] : memref<3xi32>
    memref.store %c1_i32, %arg4[%c1] : memref<3xi32>
    memref.store %2, %arg4[%c2] : memref<3xi32>
    memref.store %c7_i64, %arg5[%c0] : memref<6xi64>
    memref.store %c7_i64_1, %arg5[%c1] : memref<6xi64>
    %c2_4 = arith.constant 2 : index
    memref.store %7, %arg5[%c2_4] : memref<6xi64>
    memref.store %c1_i64, %arg5[%c3] : memref<6xi64>
    %c4 = arith.constant 4 : index
    memref.store %8, %arg5[%c4] : memref<6xi64>
    memref.store %9, %arg5[%c5] : memref<6xi64>
    memref.store %c1_i8, %arg6[%c0] : memref<3xi8>
    memref.store %c7_i8, %arg6[%c1_3] : memref<3xi8>
    memref.store %11, %arg6[%c2] : memref<3xi8>
    memref.store %c2, %arg7[%c0] : memref<7xindex>
    memref.store %c0, %arg7[%c1] : memref<7xindex>
    memref.store %c1_3, %arg7[%c2] : memref<7xindex>
    memref.store %13, %arg7[%c3] : memref<7xindex>
    memref.store %14, %arg7[%c4] : memref<7xindex>
    memref.store %15, %arg7[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c5, %arg7[%c6] : memref<7xindex>
    return
  }
}
