// {"kind": "mixed", "entry": "chunk41", "traits": ["half"], "arguments": [["a27", "index", [0, 7], false], ["out_f16", ["memref", [8], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]], "results": [["out_f16", ["memref", [8], "f16"], [0, 0], true], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i64", ["memref", [3], "i64"], [0, 0], true], ["out_i8", ["memref", [5], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d0 * 2)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1)[s0] -> (d0)>
module {
  func.func private @chunk41_n1(%arg0: memref<4xi8>, %arg1: memref<4x2xi8>, %arg2: f32) {
    %c4 = arith.constant 4 : index
    %0 = affine.apply #map(%c4, %c4)
    %c-4_i32 = arith.constant -4 : i32
    %1 = arith.cmpi ult, %c-4_i32, %c-4_i32 : i32
    %2 = arith.cmpi ne, %c-4_i32, %c-4_i32 : i32
    %c63_i64 = arith.constant 63 : i64
    %3 = arith.shrui %c63_i64, %c63_i64 : i64
    %c-5_i16 = arith.constant -5 : i16
    %4 = math.absi %c-5_i16 : i16
    %alloc = memref.alloc() : memref<2x1xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %arg3 = %c0 to %c2 step %c1 {
      %c1_1 = arith.constant 1 : index
      scf.for %arg4 = %c0 to %c1_1 step %c1 {
        memref.store %arg2, %alloc[%arg3, %arg4] : memref<2x1xf32>
      }
    }
    %alloca = memref.alloca() : memref<1x2xf32>
    scf.for %arg3 = %c0 to %c1 step %c1 {
      scf.for %arg4 = %c0 to %c2 step %c1 {
        memref.store %arg2, %alloca[%arg3, %arg4] : memref<1x2xf32>
      }
    }
    %alloca_0 = memref.alloca() : memref<2x2xf32>
    linalg.fill ins(%arg2 : f32) outs(%alloca_0 : memref<2x2xf32>)
    linalg.matmul ins(%alloc, %alloca : memref<2x1xf32>, memref<1x2xf32>) outs(%alloca_0 : memref<2x2xf32>)
    return
  }
  func.func @chunk41(%arg0: index, %arg1: memref<8xf16> {tilewright.output}, %arg2: memref<4xf32> {tilewright.output}, %arg3: memref<2xf64> {tilewright.output}, %arg4: memref<2xi1> {tilewright.output}, %arg5: memref<5xi16> {tilewright.output}, %arg6: memref<3xi64> {tilewright.output}, %arg7: memref<5xi8> {tilewright.output}, %arg8: memref<7xindex> {tilewright.output}) {
    %cst = arith.constant 1.000000e+00 : f64
    %0 = arith.negf %cst : f64
    %cst_0 = arith.constant -9.429450e-05 : f16
    %cst_1 = arith.constant -2.500000e-01 : f16
    %1 = arith.minimumf %cst_0, %cst_1 : f16
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %arg9 = %c1 to %c4 step %c1 {
      %false_18 = arith.constant false
      %c-2_i64 = arith.constant -2 : i64
      %15:4 = scf.if %false_18 -> (f16, i1, f64, i64) {
        %c31_i32 = arith.constant 31 : i32
        %c-476106452_i32 = arith.constant -476106452 : i32
        %21 = arith.shrui %c-476106452_i32, %c31_i32 : i32
        %alloca_22 = memref.alloca() : memref<4x2xi1>
        %c0_23 = arith.constant 0 : index
        scf.for %arg10 = %c0_23 to %c4 step %c1 {
          %c2_29 = arith.constant 2 : index
          scf.for %arg11 = %c0_23 to %c2_29 step %c1 {
            memref.store %false_18, %alloca_22[%arg10, %arg11] : memref<4x2xi1>
          }
        }
        %alloc = memref.alloc() : memref<3xf32>
        %c3_24 = arith.constant 3 : index
        scf.for %arg10 = %c0_23 to %c3_24 step %c1 {
          %cst_29 = arith.constant 105.586121 : f32
          memref.store %cst_29, %alloc[%arg10] : memref<3xf32>
        }
        %alloc_25 = memref.alloc() : memref<f32>
        %cst_26 = arith.constant -3.750000e-01 : f32
        linalg.fill ins(%cst_26 : f32) outs(%alloc_25 : memref<f32>)
        %alloc_27 = memref.alloc() : memref<2xi32>
        linalg.fill ins(%c31_i32 : i32) outs(%alloc_27 : memref<2xi32>)
        linalg.generic {indexing_maps = [#map1, #map2, #map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%alloca_22, %alloc, %alloc_25 : memref<4x2xi1>, memref<3xf32>, memref<f32>) outs(%alloc_27 : memref<2xi32>) {
        ^bb0(%in: i1, %in_29: f32, %in_30: f32, %out: i32):
          %c7_i64 = arith.constant 7 : i64
          %22 = arith.andi %c-2_i64, %c7_i64 : i64
          %23 = math.ipowi %c-2_i64, %22 : i64
          %c-128_i8 = arith.constant -128 : i8
          %c-7_i8 = arith.constant -7 : i8
          %24 = arith.ceildivsi %c-128_i8, %c-7_i8 : i8
          %25 = arith.ceildivsi %c-128_i8, %c-7_i8 : i8
          %c6_i32 = arith.constant 6 : i32
          %26 = arith.addi %out, %c6_i32 : i32
          linalg.yield %26 : i32
        }
        %cst_28 = arith.constant -1.7976931348623157E+308 : f64
        scf.yield %1, %false_18, %cst_28, %c-2_i64 : f16, i1, f64, i64
      } else {
        %cst_22 = arith.constant 5.000000e-01 : f16
        %cst_23 = arith.constant 5.000000e-01 : f16
        %21 = arith.select %false_18, %cst_22, %1 : f16
        %cst_24 = arith.constant -1.17549435E-38 : f32
        %22 = affine.for %arg10 = 0 to 1 step 2 iter_args(%arg11 = %cst_24) -> (f32) {
          affine.yield %cst_24 : f32
        }
        %alloc = memref.alloc() : memref<3xi8>
        %c-128_i8 = arith.constant -128 : i8
        linalg.fill ins(%c-128_i8 : i8) outs(%alloc : memref<3xi8>)
        %alloc_25 = memref.alloc() : memref<3xi64>
        %c-4_i64 = arith.constant -4 : i64
        linalg.fill ins(%c-4_i64 : i64) outs(%alloc_25 : memref<3xi64>)
        linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%alloc : memref<3xi8>) outs(%alloc_25 : memref<3xi64>) {
        ^bb0(%in: i8, %out: i64):
          %c63_i64 = arith.constant 63 : i64
          %23 = arith.andi %c-2_i64, %c63_i64 : i64
          %24 = arith.shrui %c63_i64, %23 : i64
          %25 = arith.ori %false_18, %false_18 : i1
          linalg.yield %23 : i64
        }
        %cst_26 = arith.constant -0.000000e+00 : f64
        scf.yield %cst_22, %false_18, %cst_26, %c-4_i64 : f16, i1, f64, i64
      }
      %alloca = memref.alloca() : memref<3x4x4xi8>
      %c-114_i8 = arith.constant -114 : i8
      linalg.fill ins(%c-114_i8 : i8) outs(%alloca : memref<3x4x4xi8>)
      %c92_i8 = arith.constant 92 : i8
      %cst_19 = arith.constant 1.600000e+01 : f32
      %c32767_i16 = arith.constant 32767 : i16
      %16:4 = scf.for %arg10 = %c1 to %c1 step %c1 iter_args(%arg11 = %1, %arg12 = %c92_i8, %arg13 = %cst_19, %arg14 = %c32767_i16) -> (f16, i8, f32, i16) {
        %c-823408944_i32 = arith.constant -823408944 : i32
        %21 = arith.muli %c-823408944_i32, %c-823408944_i32 : i32
        %alloca_22 = memref.alloca() : memref<3xi32>
        %c0_23 = arith.constant 0 : index
        %c3_24 = arith.constant 3 : index
        scf.for %arg15 = %c0_23 to %c3_24 step %c1 {
          %c0_i32 = arith.constant 0 : i32
          memref.store %c0_i32, %alloca_22[%arg15] : memref<3xi32>
        }
        %c6_i64 = arith.constant 6 : i64
        %true = arith.constant true
        %22:2 = affine.for %arg15 = 0 to 0 iter_args(%arg16 = %c6_i64, %arg17 = %true) -> (i64, i1) {
          affine.store %21, %alloca_22[(%arg0 + 1) mod 3] : memref<3xi32>
          %cst_29 = arith.constant -1.000000e+00 : bf16
          %29 = math.trunc %cst_29 : bf16
          %30 = arith.minsi %true, %true : i1
          memref.store %21, %alloca_22[%c1] : memref<3xi32>
          affine.yield %arg16, %arg17 : i64, i1
        }
        %23 = arith.remui %c4, %c1 : index
        %c0_25 = arith.constant 0 : index
        %subview = memref.subview %alloca[%23, 0, %c0_25] [3, 4, 4] [1, 1, 1] : memref<3x4x4xi8> to memref<3x4x4xi8, strided<[16, 4, 1], offset: ?>>
        %24 = arith.cmpf ord, %cst_0, %cst_0 : f16
        %cst_26 = arith.constant 1.000000e+00 : f16
        %25 = arith.select %24, %cst_0, %cst_26 : f16
        %cst_27 = arith.constant -1.280000e+02 : f16
        %26 = arith.maximumf %25, %cst_27 : f16
        %cst_28 = arith.constant 1.270000e+02 : f16
        %27 = arith.minimumf %26, %cst_28 : f16
        %28 = arith.fptosi %27 : f16 to i8
        scf.yield %26, %arg12, %arg13, %c32767_i16 : f16, i8, f32, i16
      }
      %c3_20 = arith.constant 3 : index
      %17 = arith.remui %arg0, %c3_20 : index
      %c2_21 = arith.constant 2 : index
      %18 = memref.load %alloca[%17, %c1, %c2_21] : memref<3x4x4xi8>
      %19 = arith.muli %18, %18 : i8
      memref.store %19, %alloca[%17, %c1, %c2_21] : memref<3x4x4xi8>
      %c12 = arith.constant 12 : index
      %c-32767_i32 = arith.constant -32767 : i32
      %20 = scf.for %arg10 = %c2_21 to %c12 step %c3_20 iter_args(%arg11 = %c-32767_i32) -> (i32) {
        %alloc = memref.alloc() : memref<3x4x4xi8>
        %c0_22 = arith.constant 0 : index
        %c3_23 = arith.constant 3 : index
        scf.for %arg12 = %c0_22 to %c3_23 step %c1 {
          scf.for %arg13 = %c0_22 to %c4 step %c1 {
            scf.for %arg14 = %c0_22 to %c4 step %c1 {
              memref.store %c92_i8, %alloc[%arg12, %arg13, %arg14] : memref<3x4x4xi8>
            }
          }
        }
        linalg.add ins(%alloca, %alloca : memref<3x4x4xi8>, memref<3x4x4xi8>) outs(%alloc : memref<3x4x4xi8>)
        %c1_i16 = arith.constant 1 : i16
        %21 = arith.shrui %16#3, %c1_i16 : i16
        scf.yield %arg11 : i32
      }
    }
    %cst_2 = arith.constant 7.000000e+00 : f16
    %cst_3 = arith.constant -1.000000e+00 : f16
    %2 = arith.divf %cst_2, %cst_3 : f16
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %cst_4 = arith.constant 1.000000e+00 : f16
    %c-4_i8 = arith.constant -4 : i8
    %cst_5 = arith.constant -1.000000e+00 : f32
    %3:3 = scf.for %arg9 = %c0 to %c4 step %c3 iter_args(%arg10 = %cst_4, %arg11 = %c-4_i8, %arg12 = %cst_5) -> (f16, i8, f32) {
      %alloca = memref.alloca() : memref<1x3xf64>
      linalg.fill ins(%0 : f64) outs(%alloca : memref<1x3xf64>)
      linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%alloca : memref<1x3xf64>) {
      ^bb0(%out: f64):
        %23 = math.roundeven %cst_5 : f32
        %24 = arith.truncf %cst : f64 to bf16
        %25 = arith.cmpf uge, %0, %cst : f64
        linalg.yield %0 : f64
      }
      %15 = arith.cmpf true, %cst, %cst : f64
      %16 = arith.divf %cst_4, %2 : f16
      %17 = arith.cmpf ord, %cst_5, %cst_5 : f32
      %cst_18 = arith.constant 1.000000e+00 : f32
      %18 = arith.select %17, %cst_5, %cst_18 : f32
      %cst_19 = arith.constant -1.280000e+02 : f32
      %19 = arith.maximumf %18, %cst_19 : f32
      %cst_20 = arith.constant 1.270000e+02 : f32
      %20 = arith.minimumf %19, %cst_20 : f32
      %21 = arith.fptosi %20 : f32 to i64
      %22 = memref.load %alloca[%c0, %c0] : memref<1x3xf64>
      scf.yield %arg10, %arg11, %19 : f16, i8, f32
    }
    %c32766_i16 = arith.constant 32766 : i16
    %4 = arith.extsi %c32766_i16 : i16 to i64
    %c0_i16 = arith.constant 0 : i16
    %5 = arith.extsi %c0_i16 : i16 to i64
    %6 = arith.subi %4, %5 overflow<nsw> : i64
    %c-2_i16 = arith.constant -2 : i16
    %7 = arith.andi %c-2_i16, %c0_i16 : i16
    %c127_i8 = arith.constant 127 : i8
    %8 = arith.maxui %c127_i8, %c-4_i8 : i8
    %9 = math.absi %8 : i8
    %false = arith.constant false
    %false_6 = arith.constant false
    %10 = arith.cmpi ult, %false, %false : i1
    %c2 = arith.constant 2 : index
    scf.for %arg9 = %c0 to %c3 step %c2 {
      %15 = arith.minsi %arg9, %c1 : index
      %16 = math.absf %cst : f64
      %cst_18 = arith.constant -3.4939035635170361 : f64
      %17 = math.absf %cst_18 : f64
      %18 = arith.minnumf %16, %17 : f64
      %cst_19 = arith.constant 5.000000e-01 : bf16
      %19 = arith.mulf %cst_19, %cst_19 : bf16
      %alloc = memref.alloc() : memref<2x3xf16>
      scf.for %arg10 = %c0 to %c2 step %c1 {
        %c3_21 = arith.constant 3 : index
        scf.for %arg11 = %c0 to %c3_21 step %c1 {
          %cst_22 = arith.constant -6.550400e+04 : f16
          memref.store %cst_22, %alloc[%arg10, %arg11] : memref<2x3xf16>
        }
      }
      %alloc_20 = memref.alloc() : memref<f32>
      linalg.fill ins(%3#2 : f32) outs(%alloc_20 : memref<f32>)
    }
    %11:2 = affine.for %arg9 = 0 to 5 step 2 iter_args(%arg10 = %cst_5, %arg11 = %7) -> (f32, i16) {
      %15 = arith.cmpf one, %2, %3#0 : f16
      %cst_18 = arith.constant 0.63642317 : f32
      %16 = arith.cmpf ord, %cst_18, %cst_18 : f32
      %17 = arith.cmpf ord, %cst_18, %cst_18 : f32
      %cst_19 = arith.constant 1.000000e+00 : f32
      %18 = arith.select %16, %cst_18, %cst_19 : f32
      %19 = math.copysign %3#2, %18 : f32
      %20 = arith.andi %8, %c127_i8 : i8
      affine.yield %arg10, %arg11 : f32, i16
    }
    %12 = arith.addf %cst_5, %cst_5 : f32
    %13 = affine.apply #map6(%arg0, %arg0)[%arg0]
    %14 = affine.apply #map6(%arg0, %arg0)[%arg0]
    memref.store %cst_0, %arg1[%c0] : memref<8xf16>
    %c1_7 = arith.constant 1 : index
    memref.store %cst_1, %arg1[%c1_7] : memref<8xf16>
    memref.store %1, %arg1[%c2] : memref<8xf16>
    memref.store %cst_2, %arg1[%c3] : memref<8xf16>
    %c4_8 = arith.constant 4 : index
    memref.store %cst_3, %arg1[%c4_8] : memref<8xf16>
    %c5 = arith.constant 5 : index
    memref.store %2, %arg1[%c5] : memref<8xf16>
    %c6 = arith.constant 6 : index
    memref.store %cst_4, %arg1[%c6] : memref<8xf16>
    %c7 = arith.constant 7 : index
    memref.store %3#0, %arg1[%c7] : memref<8xf16>
    %c0_9 = arith.constant 0 : index
    memref.store %cst_5, %arg2[%c0_9] : memref<4xf32>
    memref.store %3#2, %arg2[%c1] : memref<4xf32>
    memref.store %11#0, %arg2[%c2] : memref<4xf32>
    %c3_10 = arith.constant 3 : index
    memref.store %12, %arg2[%c3_10] : memref<4xf32>
    memref.store %cst, %arg3[%c0] : memref<2xf64>
    memref.store %0, %arg3[%c1_7] : memref<2xf64>
    %c0_11 = arith.constant 0 : index
    memref.store %false, %arg4[%c0_11] : memref<2xi1>
    %c1_12 = arith.constant 1 : index
    memref.store %10, %arg4[%c1_12] : memref<2xi1>
    memref.store %c32766_i16, %arg5[%c0_9] : memref<5xi16>
    memref.store %c0_i16, %arg5[%c1] : memref<5xi16>
    memref.store %c-2_i16, %arg5[%c2] : memref<5xi16>
    memref.store %7, %arg5[%c3_10] : memref<5xi16>
    memref.store %11#1, %arg5[%c4] : memref<5xi16>
    %c0_13 = arith.constant 0 : index
    memref.store %4, %arg6[%c0_13] : memref<3xi64>
    %c1_14 = arith.constant 1 : index
    memref.store %5, %arg6[%c1_14] : memref<3xi64>
    memref.store %6, %arg6[%c2] : memref<3xi64>
    memref.store %c-4_i8, %arg7[%c0] : memref<5xi8>
    memref.store %3#1, %arg7[%c1_12] : memref<5xi8>
    memref.store %c127_i8, %arg7[%c2] : memref<5xi8>
    %c3_15 = arith.constant 3 : index
    memref.store %8, %arg7[%c3_15] : memref<5xi8>
    memref.store %9, %arg7[%c4] : memref<5xi8>
    memref.store %arg0, %arg8[%c0_9] : memref<7xindex>
    memref.store %c1, %arg8[%c1_14] : memref<7xindex>
    memref.store %c4, %arg8[%c2] : memref<7xindex>
    %c3_16 = arith.constant 3 : index
    memref.store %c0, %arg8[%c3_16] : memref<7xindex>
    memref.store %c3, %arg8[%c4_8] : memref<7xindex>
    %c5_17 = arith.constant 5 : index
    memref.store %c2, %arg8[%c5_17] : memref<7xindex>
    memref.store %13, %arg8[%c6] : memref<7xindex>
    return
  }
}
