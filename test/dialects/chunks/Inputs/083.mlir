// {"kind": "mixed", "entry": "chunk83", "traits": ["half"], "arguments": [["a83", ["memref", [2, 3], "i32"], [0, 0], false], ["a84", "i8", [0, 0], false], ["a85", "index", [0, 7], false], ["a86", ["memref", [3, 4], "i16"], [0, 0], false], ["a87", "i64", [0, 0], false], ["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [5], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true], ["out10", ["memref", [4], "i8"], [0, 0], true], ["out11", ["memref", [], "i8"], [0, 0], true], ["out12", ["memref", [3, 4], "i16"], [0, 0], true]], "results": [["out_bf16", ["memref", [2], "bf16"], [0, 0], true], ["out_f16", ["memref", [5], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [1], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [6], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [8], "index"], [0, 0], true], ["out10", ["memref", [4], "i8"], [0, 0], true], ["out11", ["memref", [], "i8"], [0, 0], true], ["out12", ["memref", [3, 4], "i16"], [0, 0], true]]}
#map = affine_map<(d0, d1, d2) -> (d2 * 2 + 1, d1, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map4 = affine_map<(d0, d1) -> (d0 + d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1)>
#map8 = affine_map<(d0, d1, d2) -> ()>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0) -> (d0)>
module {
  func.func private @chunk83_n1(%arg0: index, %arg1: memref<3x2xi16>, %arg2: memref<1x4x4xf16>) -> i64 {
    %true = arith.constant true
    scf.if %true {
      %c0_i8 = arith.constant 0 : i8
      %6 = arith.cmpi ule, %c0_i8, %c0_i8 : i8
      %alloc_7 = memref.alloc() : memref<2x2x1xi64>
      %c0_8 = arith.constant 0 : index
      %c1_9 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      scf.for %arg3 = %c0_8 to %c2 step %c1_9 {
        scf.for %arg4 = %c0_8 to %c2 step %c1_9 {
          scf.for %arg5 = %c0_8 to %c1_9 step %c1_9 {
            %c32768_i64 = arith.constant 32768 : i64
            memref.store %c32768_i64, %alloc_7[%arg3, %arg4, %arg5] : memref<2x2x1xi64>
          }
        }
      }
      %alloc_10 = memref.alloc() : memref<2x1x1xi32>
      %c2_11 = arith.constant 2 : index
      scf.for %arg3 = %c0_8 to %c2_11 step %c1_9 {
        scf.for %arg4 = %c0_8 to %c1_9 step %c1_9 {
          scf.for %arg5 = %c0_8 to %c1_9 step %c1_9 {
            %c-121865030_i32 = arith.constant -121865030 : i32
            memref.store %c-121865030_i32, %alloc_10[%arg3, %arg4, %arg5] : memref<2x1x1xi32>
          }
        }
      }
      %alloc_12 = memref.alloc() : memref<1x1x2xi16>
      %c0_i16 = arith.constant 0 : i16
      linalg.fill ins(%c0_i16 : i16) outs(%alloc_12 : memref<1x1x2xi16>)
      %alloc_13 = memref.alloc() : memref<2x1x1xf64>
      scf.for %arg3 = %c0_8 to %c2 step %c1_9 {
        scf.for %arg4 = %c0_8 to %c1_9 step %c1_9 {
          scf.for %arg5 = %c0_8 to %c1_9 step %c1_9 {
            %cst_14 = arith.constant -2.0780124432532366E+265 : f64
            memref.store %cst_14, %alloc_13[%arg3, %arg4, %arg5] : memref<2x1x1xf64>
          }
        }
      }
      linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%alloc_7, %alloc_10, %alloc_12 : memref<2x2x1xi64>, memref<2x1x1xi32>, memref<1x1x2xi16>) outs(%alloc_13 : memref<2x1x1xf64>) {
      ^bb0(%in: i64, %in_14: i32, %in_15: i16, %out: f64):
        %c0_i8_16 = arith.constant 0 : i8
        %c0_i8_17 = arith.constant 0 : i8
        %8 = arith.shrsi %c0_i8, %c0_i8_16 : i8
        %9 = arith.select %true, %in_14, %in_14 : i32
        %10 = arith.bitcast %9 : i32 to f32
        %11 = arith.addf %out, %out : f64
        linalg.yield %11 : f64
      }
      %7 = arith.sitofp %c0_i8 : i8 to f16
    }
    %cst = arith.constant 4.940660e-324 : f64
    %0 = arith.cmpf ord, %cst, %cst : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %1 = arith.select %0, %cst, %cst_0 : f64
    %cst_1 = arith.constant 0.000000e+00 : f64
    %2 = arith.maximumf %1, %cst_1 : f64
    %cst_2 = arith.constant 2.480000e+02 : f64
    %3 = arith.minimumf %2, %cst_2 : f64
    %4 = arith.fptoui %3 : f64 to i64
    %alloc = memref.alloc() : memref<5xi8>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c5 step %c1 {
      %c75_i8 = arith.constant 75 : i8
      memref.store %c75_i8, %alloc[%arg3] : memref<5xi8>
    }
    %alloca = memref.alloca() : memref<3xi8>
    %c3 = arith.constant 3 : index
    scf.for %arg3 = %c0 to %c3 step %c1 {
      %c126_i8 = arith.constant 126 : i8
      memref.store %c126_i8, %alloca[%arg3] : memref<3xi8>
    }
    %alloca_3 = memref.alloca() : memref<3x3xi64>
    scf.for %arg3 = %c0 to %c3 step %c1 {
      scf.for %arg4 = %c0 to %c3 step %c1 {
        memref.store %4, %alloca_3[%arg3, %arg4] : memref<3x3xi64>
      }
    }
    %alloca_4 = memref.alloca() : memref<3xbf16>
    %cst_5 = arith.constant 2.500000e+00 : bf16
    linalg.fill ins(%cst_5 : bf16) outs(%alloca_4 : memref<3xbf16>)
    linalg.generic {indexing_maps = [#map4, #map5, #map6, #map7], iterator_types = ["reduction", "parallel"]} ins(%alloc, %alloca, %alloca_3 : memref<5xi8>, memref<3xi8>, memref<3x3xi64>) outs(%alloca_4 : memref<3xbf16>) {
    ^bb0(%in: i8, %in_7: i8, %in_8: i64, %out: bf16):
      %cst_9 = arith.constant 7.000000e+00 : f32
      %6 = arith.mulf %cst_9, %cst_9 : f32
      %7 = arith.uitofp %in_8 : i64 to f32
      %8 = arith.maximumf %out, %cst_5 : bf16
      linalg.yield %8 : bf16
    }
    %cst_6 = arith.constant -1.600000e+01 : f32
    %5 = arith.subf %cst_6, %cst_6 : f32
    return %4 : i64
  }
  func.func @chunk83(%arg0: memref<2x3xi32>, %arg1: i8, %arg2: index, %arg3: memref<3x4xi16>, %arg4: i64, %arg5: memref<2xbf16> {tilewright.output}, %arg6: memref<5xf16> {tilewright.output}, %arg7: memref<4xf32> {tilewright.output}, %arg8: memref<2xf64> {tilewright.output}, %arg9: memref<1xi1> {tilewright.output}, %arg10: memref<4xi16> {tilewright.output}, %arg11: memref<6xi32> {tilewright.output}, %arg12: memref<2xi64> {tilewright.output}, %arg13: memref<2xi8> {tilewright.output}, %arg14: memref<8xindex> {tilewright.output}, %arg15: memref<4xi8> {tilewright.output}, %arg16: memref<i8> {tilewright.output}, %arg17: memref<3x4xi16> {tilewright.output}) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 2.500000e+00 : f32
    %0 = arith.addf %cst, %cst_0 : f32
    %cst_1 = arith.constant 0x7F80 : bf16
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %1:2 = scf.while (%arg18 = %c0, %arg19 = %cst_1) : (index, bf16) -> (index, bf16) {
      %13 = arith.cmpi slt, %arg18, %c1 : index
      %alloca_7 = memref.alloca() : memref<3x4xi16>
      %c-20697_i16 = arith.constant -20697 : i16
      linalg.fill ins(%c-20697_i16 : i16) outs(%alloca_7 : memref<3x4xi16>)
      linalg.copy ins(%arg3 : memref<3x4xi16>) outs(%alloca_7 : memref<3x4xi16>)
      %alloc_8 = memref.alloc() : memref<f16>
      %cst_9 = arith.constant -3.750000e-01 : f16
      linalg.fill ins(%cst_9 : f16) outs(%alloc_8 : memref<f16>)
      %alloc_10 = memref.alloc() : memref<2x2x3xf64>
      %cst_11 = arith.constant -2.000000e+00 : f64
      linalg.fill ins(%cst_11 : f64) outs(%alloc_10 : memref<2x2x3xf64>)
      %alloc_12 = memref.alloc() : memref<f16>
      linalg.fill ins(%cst_9 : f16) outs(%alloc_12 : memref<f16>)
      linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["reduction", "reduction", "reduction"]} ins(%alloc_8, %alloc_10 : memref<f16>, memref<2x2x3xf64>) outs(%alloc_12 : memref<f16>) {
      ^bb0(%in: f16, %in_13: f64, %out: f16):
        %15 = arith.cmpf ord, %cst_9, %cst_9 : f16
        %cst_14 = arith.constant 1.000000e+00 : f16
        %cst_15 = arith.constant 1.000000e+00 : f16
        %16 = arith.select %15, %cst_9, %cst_14 : f16
        %cst_16 = arith.constant -1.280000e+02 : f16
        %17 = arith.maximumf %16, %cst_16 : f16
        %cst_17 = arith.constant 1.270000e+02 : f16
        %18 = arith.minimumf %17, %cst_17 : f16
        %19 = arith.fptosi %18 : f16 to i8
        %c8 = arith.constant 8 : index
        %20 = arith.ceildivui %c8, %c8 : index
        %21 = arith.maxui %c-20697_i16, %c-20697_i16 : i16
        %22 = arith.maxui %c-20697_i16, %c-20697_i16 : i16
        %23 = arith.mulf %out, %cst_16 : f16
        linalg.yield %23 : f16
      }
      %14 = arith.andi %13, %13 : i1
      scf.condition(%14) %arg18, %cst_1 : index, bf16
    } do {
    ^bb0(%arg18: index, %arg19: bf16):
      %alloca_7 = memref.alloca() : memref<1xf64>
      %c0_8 = arith.constant 0 : index
      %c1_9 = arith.constant 1 : index
      scf.for %arg20 = %c0_8 to %c1_9 step %c1 {
        %cst_10 = arith.constant 1.000000e+00 : f64
        memref.store %cst_10, %alloca_7[%arg20] : memref<1xf64>
      }
      %13 = arith.addi %arg18, %c1 : index
      scf.yield %13, %arg19 : index, bf16
    }
    %alloc = memref.alloc() : memref<4xi8>
    linalg.fill ins(%arg1 : i8) outs(%alloc : memref<4xi8>)
    %alloca = memref.alloca() : memref<4xi8>
    linalg.fill ins(%arg1 : i8) outs(%alloca : memref<4xi8>)
    linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%alloc : memref<4xi8>) outs(%alloca : memref<4xi8>) {
    ^bb0(%in: i8, %out: i8):
      %13 = arith.addf %cst, %cst : f32
      linalg.yield %in : i8
    }
    %c7 = arith.constant 7 : index
    %c2 = arith.constant 2 : index
    %c2_i32 = arith.constant 2 : i32
    %cst_2 = arith.constant -0.000000e+00 : f16
    %2:4 = scf.for %arg18 = %c0 to %c7 step %c2 iter_args(%arg19 = %c2_i32, %arg20 = %arg1, %arg21 = %arg4, %arg22 = %cst_2) -> (i32, i8, i64, f16) {
      %c5_7 = arith.constant 5 : index
      %13 = arith.cmpi sle, %c5_7, %1#0 : index
      scf.yield %arg19, %arg1, %arg21, %arg22 : i32, i8, i64, f16
    }
    %c5_i16 = arith.constant 5 : i16
    %c7_i16 = arith.constant 7 : i16
    %3 = arith.andi %c5_i16, %c7_i16 : i16
    %4 = math.ipowi %c5_i16, %3 : i16
    %5 = arith.negf %cst_2 : f16
    %cst_3 = arith.constant -76.069179978041689 : f64
    %6 = math.roundeven %cst_3 : f64
    %7 = math.absf %cst_2 : f16
    %8 = arith.mulf %7, %5 : f16
    %c7_i32 = arith.constant 7 : i32
    %9 = arith.ceildivui %c2_i32, %c7_i32 : i32
    %c-2 = arith.constant -2 : index
    %10 = arith.subi %c-2, %1#0 : index
    %subview = memref.subview %alloc[0] [2] [2] : memref<4xi8> to memref<2xi8, strided<[2]>>
    memref.store %2#1, %alloc[%c2] : memref<4xi8>
    %c4_i32 = arith.constant 4 : i32
    %11 = arith.ceildivsi %c2_i32, %c4_i32 : i32
    %cst_4 = arith.constant 1.000000e+00 : f32
    %12 = arith.cmpf ole, %cst_4, %cst_0 : f32
    %alloca_5 = memref.alloca() : memref<i8>
    linalg.fill ins(%2#1 : i8) outs(%alloca_5 : memref<i8>)
    linalg.reduce ins(%alloca : memref<4xi8>) outs(%alloca_5 : memref<i8>) dimensions = [0] 
      (%in: i8, %init: i8) {
        %13 = arith.maxsi %in, %init : i8
        linalg.yield %13 : i8
      }
    %alloc_6 = memref.alloc() : memref<3x4xi16>
    linalg.fill ins(%c5_i16 : i16) outs(%alloc_6 : memref<3x4xi16>)
    memref.copy %arg3, %alloc_6 : memref<3x4xi16> to memref<3x4xi16>
    memref.store %cst_1, %arg5[%c0] : memref<2xbf16>
    memref.store %1#1, %arg5[%c1] : memref<2xbf16>
    memref.store %cst_2, %arg6[%c0] : memref<5xf16>
    memref.store %2#3, %arg6[%c1] : memref<5xf16>
    memref.store %5, %arg6[%c2] : memref<5xf16>
    %c3 = arith.constant 3 : index
    memref.store %7, %arg6[%c3] : memref<5xf16>
    %c4 = arith.constant 4 : index
    memref.store %8, %arg6[%c4] : memref<5xf16>
    memref.store %cst, %arg7[%c0] : memref<4xf32>
    memref.store %cst_0, %arg7[%c1] : memref<4xf32>
    memref.store %0, %arg7[%c2] : memref<4xf32>
    memref.store %cst_4, %arg7[%c3] : memref<4xf32>
    memref.store %cst_3, %arg8[%c0] : memref<2xf64>
    memref.store %6, %arg8[%c1] : memref<2xf64>
    memref.store %12, %arg9[%c0] : memref<1xi1>
    memref.store %c5_i16, %arg10[%c0] : memref<4xi16>
    memref.store %c7_i16, %arg10[%c1] : memref<4xi16>
    memref.store %3, %arg10[%c2] : memref<4xi16>
    memref.store %4, %arg10[%c3] : memref<4xi16>
    memref.store %c2_i32, %arg11[%c0] : memref<6xi32>
    memref.store %2#0, %arg11[%c1] : memref<6xi32>
    memref.store %c7_i32, %arg11[%c2] : memref<6xi32>
    memref.store %9, %arg11[%c3] : memref<6xi32>
    memref.store %c4_i32, %arg11[%c4] : memref<6xi32>
    %c5 = arith.constant 5 : index
    memref.store %11, %arg11[%c5] : memref<6xi32>
    memref.store %arg4, %arg12[%c0] : memref<2xi64>
    memref.store %2#2, %arg12[%c1] : memref<2xi64>
    memref.store %arg1, %arg13[%c0] : memref<2xi8>
    memref.store %2#1, %arg13[%c1] : memref<2xi8>
    memref.store %arg2, %arg14[%c0] : memref<8xindex>
    memref.store %c1, %arg14[%c1] : memref<8xindex>
    memref.store %c0, %arg14[%c2] : memref<8xindex>
    memref.store %1#0, %arg14[%c3] : memref<8xindex>
    memref.store %c7, %arg14[%c4] : memref<8xindex>
    memref.store %c2, %arg14[%c5] : memref<8xindex>
    %c6 = arith.constant 6 : index
    memref.store %c-2, %arg14[%c6] : memref<8xindex>
    memref.store %10, %arg14[%c7] : memref<8xindex>
    memref.copy %alloca, %arg15 : memref<4xi8> to memref<4xi8>
    memref.copy %alloca_5, %arg16 : memref<i8> to memref<i8>
    memref.copy %alloc_6, %arg17 : memref<3x4xi16> to memref<3x4xi16>
    return
  }
}
