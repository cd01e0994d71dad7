// {"kind": "mixed", "entry": "chunk167", "traits": ["half"], "arguments": [["a32", "i8", [0, 0], false], ["a33", ["memref", [3, 4], "i32"], [0, 0], false], ["a34", "i16", [0, 0], false], ["a35", "i8", [0, 0], false], ["out_bf16", ["memref", [3], "bf16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [3, 2], "i32"], [0, 0], true], ["out8", ["memref", [2, 2], "f16"], [0, 0], true], ["out9", ["memref", [3, 4], "i32"], [0, 0], true]], "results": [["out_bf16", ["memref", [3], "bf16"], [0, 0], true], ["out_f32", ["memref", [3], "f32"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i16", ["memref", [5], "i16"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i8", ["memref", [6], "i8"], [0, 0], true], ["out_index", ["memref", [7], "index"], [0, 0], true], ["out7", ["memref", [3, 2], "i32"], [0, 0], true], ["out8", ["memref", [2, 2], "f16"], [0, 0], true], ["out9", ["memref", [3, 4], "i32"], [0, 0], true]]}
#map = affine_map<(d0) -> (0)>
#map1 = affine_map<(d0) -> (d0)>
module {
  func.func private @chunk167_n1(%arg0: memref<1x4xbf16>, %arg1: i1) -> i8 {
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c3_i32 = arith.constant 3 : i32
    %true = arith.constant true
    %c4_i8 = arith.constant 4 : i8
    %0:3 = scf.for %arg2 = %c2 to %c5 step %c2 iter_args(%arg3 = %c3_i32, %arg4 = %true, %arg5 = %c4_i8) -> (i32, i1, i8) {
      %cst = arith.constant -4.805480e+25 : bf16
      %1 = arith.cmpf uge, %cst, %cst : bf16
      %c-3 = arith.constant -3 : index
      %c1 = arith.constant 1 : index
      %c-1 = arith.constant -1 : index
      %cst_0 = arith.constant 9.183550e-41 : bf16
      %c-255_i16 = arith.constant -255 : i16
      %cst_1 = arith.constant -1.000000e+00 : f64
      %2:4 = scf.for %arg6 = %c-3 to %c-1 step %c1 iter_args(%arg7 = %cst_0, %arg8 = %c-255_i16, %arg9 = %cst_1, %arg10 = %arg5) -> (bf16, i16, f64, i8) {
        scf.yield %arg7, %arg8, %arg9, %arg5 : bf16, i16, f64, i8
      }
      scf.yield %c3_i32, %1, %arg5 : i32, i1, i8
    }
    return %c4_i8 : i8
  }
  memref.global "private" constant @chunk167_n160 : memref<4x1x1xi32> = dense<[[[857856292]], [[1456879424]], [[-1287881682]], [[0]]]>
  func.func @chunk167(%arg0: i8, %arg1: memref<3x4xi32>, %arg2: i16, %arg3: i8, %arg4: memref<3xbf16> {tilewright.output}, %arg5: memref<3xf32> {tilewright.output}, %arg6: memref<3xi1> {tilewright.output}, %arg7: memref<5xi16> {tilewright.output}, %arg8: memref<4xi32> {tilewright.output}, %arg9: memref<6xi8> {tilewright.output}, %arg10: memref<7xindex> {tilewright.output}, %arg11: memref<3x2xi32> {tilewright.output}, %arg12: memref<2x2xf16> {tilewright.output}, %arg13: memref<3x4xi32> {tilewright.output}) {
    %0 = arith.sitofp %arg3 : i8 to f32
    %c6_i8 = arith.constant 6 : i8
    %low, %high = arith.mulsi_extended %c6_i8, %arg0 : i8
    %true = arith.constant true
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1:3 = scf.while (%arg14 = %c0, %arg15 = %true, %arg16 = %0) : (index, i1, f32) -> (index, i1, f32) {
      %13 = arith.cmpi slt, %arg14, %c4 : index
      scf.condition(%13) %arg14, %arg15, %arg16 : index, i1, f32
    } do {
    ^bb0(%arg14: index, %arg15: i1, %arg16: f32):
      %c1_i32 = arith.constant 1 : i32
      %c5_i32 = arith.constant 5 : i32
      %c1_i32_8 = arith.constant 1 : i32
      %cst_9 = arith.constant -1.000000e+00 : f64
      %cst_10 = arith.constant 0.000000e+00 : bf16
      %13:2 = scf.for %arg17 = %c1_i32 to %c5_i32 step %c1_i32_8 iter_args(%arg18 = %cst_9, %arg19 = %cst_10) -> (f64, bf16)  : i32 {
        %c1_i64 = arith.constant 1 : i64
        %c3_i64 = arith.constant 3 : i64
        %c1_i64_11 = arith.constant 1 : i64
        %15:4 = scf.for %arg20 = %c1_i64 to %c3_i64 step %c1_i64_11 iter_args(%arg21 = %c6_i8, %arg22 = %arg2, %arg23 = %arg18, %arg24 = %c1_i32) -> (i8, i16, f64, i32)  : i64 {
          %collapse_shape = memref.collapse_shape %arg1 [[0], [1]] : memref<3x4xi32> into memref<3x4xi32>
          %17 = affine.apply #map(%c0)
          %18 = affine.apply #map(%c0)
          %c32769_i32 = arith.constant 32769 : i32
          %19 = arith.maxui %arg24, %c32769_i32 : i32
          %c6_i8_12 = arith.constant 6 : i8
          %20 = arith.andi %c6_i8_12, %c6_i8 : i8
          %21 = arith.cmpf ord, %cst_10, %cst_10 : bf16
          %cst_13 = arith.constant 1.000000e+00 : bf16
          %22 = arith.select %21, %cst_10, %cst_13 : bf16
          %cst_14 = arith.constant -1.280000e+02 : bf16
          %23 = arith.maximumf %22, %cst_14 : bf16
          %cst_15 = arith.constant 1.270000e+02 : bf16
          %24 = arith.minimumf %23, %cst_15 : bf16
          %25 = arith.fptosi %24 : bf16 to i16
          scf.yield %20, %arg22, %arg23, %c32769_i32 : i8, i16, f64, i32
        }
        %16 = math.absi %15#1 : i16
        scf.yield %arg18, %cst_10 : f64, bf16
      }
      %14 = arith.addi %arg14, %c1 : index
      scf.yield %14, %arg15, %0 : index, i1, f32
    }
    %cst = arith.constant -3.750000e-01 : bf16
    %c3 = arith.constant 3 : index
    %2:2 = scf.while (%arg14 = %c0, %arg15 = %cst) : (index, bf16) -> (index, bf16) {
      %13 = arith.cmpi slt, %arg14, %c3 : index
      scf.condition(%13) %arg14, %arg15 : index, bf16
    } do {
    ^bb0(%arg14: index, %arg15: bf16):
      %13 = arith.addi %arg14, %c1 : index
      scf.yield %13, %cst : index, bf16
    }
    %c-256_i32 = arith.constant -256 : i32
    %alloc = memref.alloc() : memref<3x2xi32>
    %c129_i32 = arith.constant 129 : i32
    linalg.fill ins(%c129_i32 : i32) outs(%alloc : memref<3x2xi32>)
    linalg.fill ins(%c-256_i32 : i32) outs(%alloc : memref<3x2xi32>)
    affine.for %arg14 = 0 to 3 {
      %c0_i64 = arith.constant 0 : i64
      %13:2 = scf.if %true -> (i16, i64) {
        %alloc_8 = memref.alloc() : memref<3x2xi32>
        linalg.fill ins(%c-256_i32 : i32) outs(%alloc_8 : memref<3x2xi32>)
        memref.copy %alloc, %alloc_8 : memref<3x2xi32> to memref<3x2xi32>
        %17 = arith.subi %low, %arg3 : i8
        %18 = arith.subi %low, %arg3 : i8
        scf.yield %arg2, %c0_i64 : i16, i64
      } else {
        scf.yield %arg2, %c0_i64 : i16, i64
      }
      %14 = arith.extsi %c129_i32 : i32 to i64
      %15 = arith.extsi %c-256_i32 : i32 to i64
      %16 = arith.addi %14, %15 overflow<nsw> : i64
    }
    %3:2 = scf.while (%arg14 = %c0, %arg15 = %c129_i32) : (index, i32) -> (index, i32) {
      %13 = arith.cmpi slt, %arg14, %c4 : index
      %subview = memref.subview %arg1[0, %c1] [2, 3] [1, 1] : memref<3x4xi32> to memref<2x3xi32, strided<[4, 1], offset: ?>>
      %14 = arith.remui %2#0, %c3 : index
      %c0_8 = arith.constant 0 : index
      memref.store %arg15, %alloc[%14, %c0_8] : memref<3x2xi32>
      %false = arith.constant false
      %false_9 = arith.constant false
      %15 = arith.andi %13, %false : i1
      scf.condition(%15) %arg14, %arg15 : index, i32
    } do {
    ^bb0(%arg14: index, %arg15: i32):
      %c-1758133430726216347_i64 = arith.constant -1758133430726216347 : i64
      %13 = arith.muli %c-1758133430726216347_i64, %c-1758133430726216347_i64 : i64
      %14 = arith.ori %c-1758133430726216347_i64, %13 : i64
      %15 = arith.addi %arg14, %c1 : index
      scf.yield %15, %c129_i32 : index, i32
    }
    %4 = arith.maxui %arg2, %arg2 : i16
    %5 = arith.subi %1#0, %1#0 : index
    %alloc_0 = memref.alloc() : memref<2x2xf16>
    %c2 = arith.constant 2 : index
    scf.for %arg14 = %c0 to %c2 step %c1 {
      scf.for %arg15 = %c0 to %c2 step %c1 {
        %cst_8 = arith.constant 0.000000e+00 : f16
        memref.store %cst_8, %alloc_0[%arg14, %arg15] : memref<2x2xf16>
      }
    }
    %alloca = memref.alloca() : memref<3x4xi32>
    scf.for %arg14 = %c0 to %c3 step %c1 {
      scf.for %arg15 = %c0 to %c4 step %c1 {
        memref.store %3#1, %alloca[%arg14, %arg15] : memref<3x4xi32>
      }
    }
    linalg.min ins(%arg1, %arg1 : memref<3x4xi32>, memref<3x4xi32>) outs(%alloca : memref<3x4xi32>)
    %6 = arith.trunci %arg2 : i16 to i8
    %c7_i16 = arith.constant 7 : i16
    %7 = arith.andi %4, %c7_i16 : i16
    %8 = math.ipowi %c7_i16, %7 : i16
    %9 = arith.maxsi %1#1, %1#1 : i1
    %10 = arith.divf %1#2, %0 : f32
    %11 = scf.if %9 -> (bf16) {
      %13 = memref.load %alloca[%c0, %c1] : memref<3x4xi32>
      %14 = arith.xori %13, %13 : i32
      memref.store %14, %alloca[%c0, %c1] : memref<3x4xi32>
      %c5_8 = arith.constant 5 : index
      %15 = affine.apply #map1(%c5_8)
      %16 = arith.minui %4, %8 : i16
      scf.yield %2#1 : bf16
    } else {
      %13 = memref.get_global @chunk167_n160 : memref<4x1x1xi32>
      scf.yield %cst : bf16
    }
    %12 = arith.extui %arg0 : i8 to i32
    %c0_1 = arith.constant 0 : index
    memref.store %cst, %arg4[%c0_1] : memref<3xbf16>
    %c1_2 = arith.constant 1 : index
    memref.store %2#1, %arg4[%c1_2] : memref<3xbf16>
    memref.store %11, %arg4[%c2] : memref<3xbf16>
    memref.store %0, %arg5[%c0_1] : memref<3xf32>
    %c1_3 = arith.constant 1 : index
    memref.store %1#2, %arg5[%c1_3] : memref<3xf32>
    memref.store %10, %arg5[%c2] : memref<3xf32>
    memref.store %true, %arg6[%c0_1] : memref<3xi1>
    memref.store %1#1, %arg6[%c1] : memref<3xi1>
    %c2_4 = arith.constant 2 : index
    memref.store %9, %arg6[%c2_4] : memref<3xi1>
    memref.store %arg2, %arg7[%c0] : memref<5xi16>
    memref.store %4, %arg7[%c1] : memref<5xi16>
    memref.store %c7_i16, %arg7[%c2] : memref<5xi16>
    memref.store %7, %arg7[%c3] : memref<5xi16>
    memref.store %8, %arg7[%c4] : memref<5xi16>
    memref.store %c-256_i32, %arg8[%c0_1] : memref<4xi32>
    memref.store %c129_i32, %arg8[%c1_3] : memref<4xi32>
    memref.store %3#1, %arg8[%c2_4] : memref<4xi32>
    memref.store %12, %arg8[%c3] : memref<4xi32>
    memref.store %arg0, %arg9[%c0] : memref<6xi8>
    %c1_5 = arith.constant 1 : index
    memref.store %arg3, %arg9[%c1_5] : memref<6xi8>
    memref.store %c6_i8, %arg9[%c2] : memref<6xi8>
    %c3_6 = arith.constant 3 : index
    memref.store %low, %arg9[%c3_6] : memref<6xi8>
    memref.store %high, %arg9[%c4] : memref<6xi8>
    %c5 = arith.constant 5 : index
    memref.store %6, %arg9[%c5] : memref<6xi8>
    memref.store %1#0, %arg10[%c0] : memref<7xindex>
    memref.store %c3, %arg10[%c1_5] : memref<7xindex>
    memref.store %2#0, %arg10[%c2] : memref<7xindex>
    %c3_7 = arith.constant 3 : index
    memref.store %3#0, %arg10[%c3_7] : memref<7xindex>
    memref.store %5, %arg10[%c4] : memref<7xindex>
    memref.store %c2, %arg10[%c5] : memref<7xindex>
    %c6 = arith.constant 6 : index
    memref.store %c0, %arg10[%c6] : memref<7xindex>
    memref.copy %alloc, %arg11 : memref<3x2xi32> to memref<3x2xi32>
    memref.copy %alloc_0, %arg12 : memref<2x2xf16> to memref<2x2xf16>
    memref.copy %alloca, %arg13 : memref<3x4xi32> to memref<3x4xi32>
    return
  }
}
