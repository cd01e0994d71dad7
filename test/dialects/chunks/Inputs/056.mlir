// {"kind": "memory", "entry": "chunk56", "traits": [], "arguments": [["a0", ["memref", [2], "i16"], [0, 0], false], ["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [4], "f32"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [5], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [3], "i8"], [0, 0], true], ["out_index", ["memref", [5], "index"], [0, 0], true]]}
module {
  func.func @chunk56(%arg0: memref<2xi16>, %arg1: memref<4xf32> {tilewright.output}, %arg2: memref<5xi1> {tilewright.output}, %arg3: memref<4xi16> {tilewright.output}, %arg4: memref<5xi32> {tilewright.output}, %arg5: memref<1xi64> {tilewright.output}, %arg6: memref<3xi8> {tilewright.output}, %arg7: memref<5xindex> {tilewright.output}) {
    %c-15_i8 = arith.constant -15 : i8
    %0 = arith.extsi %c-15_i8 : i8 to i16
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c0_0 = arith.constant 0 : index
    %cst = arith.constant -3.750000e-01 : f32
    %false = arith.constant false
    %1:4 = scf.for %arg8 = %c0 to %c0_0 step %c2 iter_args(%arg9 = %cst, %arg10 = %0, %arg11 = %c-15_i8, %arg12 = %false) -> (f32, i16, i8, i1) {
      %c-1_i8 = arith.constant -1 : i8
      %c-1_i8_12 = arith.constant -1 : i8
      %c2_i8 = arith.constant 2 : i8
      %c1170776714_i32 = arith.constant 1170776714 : i32
      %cst_13 = arith.constant 2.500000e+00 : f64
      %10:2 = scf.for %arg13 = %c-1_i8 to %c-1_i8_12 step %c2_i8 iter_args(%arg14 = %c1170776714_i32, %arg15 = %cst_13) -> (i32, f64)  : i8 {
        %c-2_i64 = arith.constant -2 : i64
        %c-2_i64_14 = arith.constant -2 : i64
        %c2_i64 = arith.constant 2 : i64
        %c-4_i8 = arith.constant -4 : i8
        %11 = scf.for %arg16 = %c-2_i64 to %c-2_i64_14 step %c2_i64 iter_args(%arg17 = %c-4_i8) -> (i8)  : i64 {
          %13 = arith.cmpf une, %arg15, %cst_13 : f64
          %14 = arith.cmpi slt, %c-4_i8, %c2_i8 : i8
          %15 = arith.maxsi %c2_i64, %arg16 : i64
          scf.yield %arg17 : i8
        }
        %12 = arith.divf %cst_13, %cst_13 : f64
        scf.yield %c1170776714_i32, %arg15 : i32, f64
      }
      scf.yield %arg9, %0, %c2_i8, %arg12 : f32, i16, i8, i1
    }
    %c-2_i32 = arith.constant -2 : i32
    %2:4 = scf.if %false -> (i8, i1, i32, i32) {
      %cst_12 = arith.constant 0x7FF8000000000000 : f64
      %10 = arith.negf %cst_12 : f64
      %11 = arith.cmpf ord, %1#0, %1#0 : f32
      %cst_13 = arith.constant 1.000000e+00 : f32
      %12 = arith.select %11, %1#0, %cst_13 : f32
      %13 = math.copysign %1#0, %12 : f32
      %14 = arith.extui %1#3 : i1 to i64
      scf.yield %1#2, %11, %c-2_i32, %c-2_i32 : i8, i1, i32, i32
    } else {
      %10 = arith.negf %1#0 : f32
      %false_12 = arith.constant false
      %c1395145347_i32 = arith.constant 1395145347 : i32
      scf.yield %c-15_i8, %false_12, %c1395145347_i32, %c1395145347_i32 : i8, i1, i32, i32
    }
    %3 = arith.addf %1#0, %1#0 : f32
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %4 = arith.floordivsi %2#2, %c-2147483648_i32 : i32
    %cst_1 = arith.constant -1.000000e+00 : f32
    %5 = arith.cmpf oeq, %cst_1, %1#0 : f32
    %expand_shape = memref.expand_shape %arg0 [[0, 1]] output_shape [1, 2] : memref<2xi16> into memref<1x2xi16>
    %c1 = arith.constant 1 : index
    %6 = memref.load %arg0[%c1] : memref<2xi16>
    %7 = arith.remui %c2, %c2 : index
    %8 = memref.load %expand_shape[%c0, %7] : memref<1x2xi16>
    %c-8574747250027130153_i64 = arith.constant -8574747250027130153 : i64
    %9 = arith.cmpi sgt, %c-8574747250027130153_i64, %c-8574747250027130153_i64 : i64
    memref.store %cst, %arg1[%c0_0] : memref<4xf32>
    memref.store %1#0, %arg1[%c1] : memref<4xf32>
    memref.store %3, %arg1[%c2] : memref<4xf32>
    %c3 = arith.constant 3 : index
    memref.store %cst_1, %arg1[%c3] : memref<4xf32>
    memref.store %false, %arg2[%c0_0] : memref<5xi1>
    memref.store %1#3, %arg2[%c1] : memref<5xi1>
    memref.store %2#1, %arg2[%c2] : memref<5xi1>
    %c3_2 = arith.constant 3 : index
    memref.store %5, %arg2[%c3_2] : memref<5xi1>
    %c4 = arith.constant 4 : index
    memref.store %9, %arg2[%c4] : memref<5xi1>
    %c0_3 = arith.constant 0 : index
    memref.store %0, %arg3[%c0_3] : memref<4xi16>
    memref.store %1#1, %arg3[%c1] : memref<4xi16>
    memref.store %6, %arg3[%c2] : memref<4xi16>
    %c3_4 = arith.constant 3 : index
    memref.store %8, %arg3[%c3_4] : memref<4xi16>
    memref.store %c-2_i32, %arg4[%c0] : memref<5xi32>
    %c1_5 = arith.constant 1 : index
    %c1_6 = arith.constant 1 : index
    memref.store %2#2, %arg4[%c1_5] : memref<5xi32>
    memref.store %2#3, %arg4[%c2] : memref<5xi32>
    %c3_7 = arith.constant 3 : index
    %c3_8 = arith.constant 3 : index
    memref.store %c-2147483648_i32, %arg4[%c3_7] : memref<5xi32>
    memref.store %4, %arg4[%c4] : memref<5xi32>
    memref.store %c-8574747250027130153_i64, %arg5[%c0_0] : memref<1xi64>
    memref.store %c-15_i8, %arg6[%c0_0] : memref<3xi8>
    %c1_9 = arith.constant 1 : index
    memref.store %1#2, %arg6[%c1_9] : memref<3xi8>
    memref.store %2#0, %arg6[%c2] : memref<3xi8>
    memref.store %c0, %arg7[%c0_0] : memref<5xindex>
    %c1_10 = arith.constant 1 : index
    memref.store %c2, %arg7[%c1_10] : memref<5xindex>
    memref.store %c0_0, %arg7[%c2] : memref<5xindex>
    memref.store %c1, %arg7[%c3] : memref<5xindex>
    %c4_11 = arith.constant 4 : index
    memref.store %7, %arg7[%c4_11] : memref<5xindex>
    return
  }
}
