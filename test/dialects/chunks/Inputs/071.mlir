// {"kind": "calls", "entry": "chunk71", "traits": [], "arguments": [["a32", "index", [0, 7], false], ["a33", "i1", [0, 0], false], ["a34", "i64", [0, 0], false], ["a35", "f32", [0, 0], false], ["a36", "i64", [0, 0], false], ["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [5], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [5], "f32"], [0, 0], true], ["out_f64", ["memref", [2], "f64"], [0, 0], true], ["out_i1", ["memref", [5], "i1"], [0, 0], true], ["out_i16", ["memref", [6], "i16"], [0, 0], true], ["out_i32", ["memref", [1], "i32"], [0, 0], true], ["out_i64", ["memref", [5], "i64"], [0, 0], true], ["out_i8", ["memref", [1], "i8"], [0, 0], true], ["out_index", ["memref", [6], "index"], [0, 0], true]]}
module {
  func.func private @chunk71_n1(%arg0: i1, %arg1: memref<i16>) -> i8 {
    %c2 = arith.constant 2 : index
    %c2_0 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant 4.000000e+00 : f32
    %0 = scf.for %arg2 = %c2 to %c3 step %c2_0 iter_args(%arg3 = %cst) -> (f32) {
      %c-2 = arith.constant -2 : index
      %5 = arith.index_cast %c-2 : index to i8
      %alloc = memref.alloc() : memref<i16>
      %c7_i16 = arith.constant 7 : i16
      linalg.fill ins(%c7_i16 : i16) outs(%alloc : memref<i16>)
      memref.copy %arg1, %alloc : memref<i16> to memref<i16>
      %c6_i16 = arith.constant 6 : i16
      %c63_i16 = arith.constant 63 : i16
      %6 = arith.andi %c6_i16, %c63_i16 : i16
      %7 = arith.index_cast %6 : i16 to index
      scf.yield %arg3 : f32
    }
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %1 = arith.maximumf %cst_1, %cst_2 : f64
    %cst_3 = arith.constant 7.000000e+00 : f32
    %2 = arith.maximumf %0, %cst_3 : f32
    %3 = arith.negf %cst : f32
    %c-2_i8 = arith.constant -2 : i8
    %4 = arith.extsi %c-2_i8 : i8 to i64
    return %c-2_i8 : i8
  }
  memref.global "private" constant @chunk71_n30 : memref<4x2xi16> = dense<[[6297, -32767], [-8988, 127], [-5, -129], [-30847, 4]]>
  func.func private @chunk71_n28(%arg0: index) -> i32 {
    %0 = memref.get_global @chunk71_n30 : memref<4x2xi16>
    %c6_i32 = arith.constant 6 : i32
    return %c6_i32 : i32
  }
  func.func @chunk71(%arg0: index, %arg1: i1, %arg2: i64, %arg3: f32, %arg4: i64, %arg5: memref<5xf32> {tilewright.output}, %arg6: memref<2xf64> {tilewright.output}, %arg7: memref<5xi1> {tilewright.output}, %arg8: memref<6xi16> {tilewright.output}, %arg9: memref<1xi32> {tilewright.output}, %arg10: memref<5xi64> {tilewright.output}, %arg11: memref<1xi8> {tilewright.output}, %arg12: memref<6xindex> {tilewright.output}) {
    %c32766_i16 = arith.constant 32766 : i16
    %c2_i16 = arith.constant 2 : i16
    %0 = arith.divui %c32766_i16, %c2_i16 : i16
    %1 = call @chunk71_n28(%arg0) : (index) -> i32
    %c-2147483649_i64 = arith.constant -2147483649 : i64
    %c1_i64 = arith.constant 1 : i64
    %2 = arith.andi %c-2147483649_i64, %c1_i64 : i64
    %3 = arith.index_cast %2 : i64 to index
    %cst = arith.constant 0.000000e+00 : f64
    %4 = arith.minimumf %cst, %cst : f64
    %false = arith.constant false
    %cst_0 = arith.constant -60.577095 : f32
    %5:3 = scf.if %false -> (f32, i1, i16) {
      %10 = arith.subf %4, %4 : f64
      %11 = arith.divf %arg3, %cst_0 : f32
      %cst_5 = arith.constant 2.500000e+00 : f32
      %12 = arith.select %arg1, %cst_5, %cst_0 : f32
      scf.yield %cst_5, %false, %c32766_i16 : f32, i1, i16
    } else {
      %10 = arith.addf %arg3, %arg3 : f32
      %11 = arith.select %arg1, %1, %1 : i32
      %12 = arith.select %false, %2, %c1_i64 : i64
      scf.yield %arg3, %false, %c32766_i16 : f32, i1, i16
    }
    %c256_i16 = arith.constant 256 : i16
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %6:3 = scf.while (%arg13 = %c0, %arg14 = %c256_i16, %arg15 = %5#0) : (index, i16, f32) -> (index, i16, f32) {
      %10 = arith.cmpi slt, %arg13, %c2 : index
      %c7 = arith.constant 7 : index
      %11 = arith.muli %arg13, %c7 : index
      %12 = arith.andi %10, %5#1 : i1
      scf.condition(%12) %arg13, %arg14, %arg15 : index, i16, f32
    } do {
    ^bb0(%arg13: index, %arg14: i16, %arg15: f32):
      %10 = arith.trunci %c1_i64 : i64 to i8
      %11 = math.absi %1 : i32
      %c2_5 = arith.constant 2 : index
      %c10 = arith.constant 10 : index
      %c10_6 = arith.constant 10 : index
      scf.for %arg16 = %c2 to %c10 step %c2_5 {
        %c0_7 = arith.constant 0 : index
        %c3_8 = arith.constant 3 : index
        %13:3 = scf.for %arg17 = %c0_7 to %arg13 step %c3_8 iter_args(%arg18 = %2, %arg19 = %arg14, %arg20 = %4) -> (i64, i16, f64) {
          %20 = arith.cmpf ord, %cst, %cst : f64
          %21 = arith.cmpf ord, %cst, %cst : f64
          %cst_10 = arith.constant 1.000000e+00 : f64
          %22 = arith.select %20, %cst, %cst_10 : f64
          %23 = arith.select %20, %cst, %cst_10 : f64
          %cst_11 = arith.constant 0.000000e+00 : f64
          %24 = arith.maximumf %22, %cst_11 : f64
          %cst_12 = arith.constant 2.480000e+02 : f64
          %25 = arith.minimumf %24, %cst_12 : f64
          %26 = arith.fptoui %25 : f64 to i16
          %c63_i8 = arith.constant 63 : i8
          %27 = arith.andi %c63_i8, %c63_i8 : i8
          %c1_i8 = arith.constant 1 : i8
          %28 = arith.ori %27, %c1_i8 : i8
          %29 = arith.ceildivsi %10, %28 : i8
          %cst_13 = arith.constant 8.000000e+00 : f32
          %30 = arith.subf %5#0, %cst_13 : f32
          %31 = arith.maximumf %cst_12, %24 : f64
          scf.yield %arg2, %26, %25 : i64, i16, f64
        }
        %14 = arith.minimumf %cst, %13#2 : f64
        %15 = arith.cmpf ord, %arg3, %arg3 : f32
        %cst_9 = arith.constant 1.000000e+00 : f32
        %16 = arith.select %15, %arg3, %cst_9 : f32
        %17 = math.copysign %arg3, %16 : f32
        %18 = func.call @chunk71_n28(%arg13) : (index) -> i32
        %19 = arith.cmpf ule, %cst, %4 : f64
      }
      %12 = arith.addi %arg13, %c1 : index
      scf.yield %12, %0, %arg15 : index, i16, f32
    }
    %7 = arith.addf %5#0, %arg3 : f32
    %c-114_i8 = arith.constant -114 : i8
    %8 = arith.cmpi sge, %c-114_i8, %c-114_i8 : i8
    %9 = arith.cmpi ugt, %c-114_i8, %c-114_i8 : i8
    memref.store %arg3, %arg5[%c0] : memref<5xf32>
    memref.store %cst_0, %arg5[%c1] : memref<5xf32>
    memref.store %5#0, %arg5[%c2] : memref<5xf32>
    %c3 = arith.constant 3 : index
    memref.store %6#2, %arg5[%c3] : memref<5xf32>
    %c4 = arith.constant 4 : index
    memref.store %7, %arg5[%c4] : memref<5xf32>
    memref.store %cst, %arg6[%c0] : memref<2xf64>
    memref.store %4, %arg6[%c1] : memref<2xf64>
    memref.store %arg1, %arg7[%c0] : memref<5xi1>
    memref.store %false, %arg7[%c1] : memref<5xi1>
    memref.store %5#1, %arg7[%c2] : memref<5xi1>
    memref.store %8, %arg7[%c3] : memref<5xi1>
    %c4_1 = arith.constant 4 : index
    memref.store %9, %arg7[%c4_1] : memref<5xi1>
    memref.store %c32766_i16, %arg8[%c0] : memref<6xi16>
    memref.store %c2_i16, %arg8[%c1] : memref<6xi16>
    memref.store %0, %arg8[%c2] : memref<6xi16>
    memref.store %5#2, %arg8[%c3] : memref<6xi16>
    memref.store %c256_i16, %arg8[%c4_1] : memref<6xi16>
    %c5 = arith.constant 5 : index
    memref.store %6#1, %arg8[%c5] : memref<6xi16>
    memref.store %1, %arg9[%c0] : memref<1xi32>
    memref.store %arg2, %arg10[%c0] : memref<5xi64>
    memref.store %arg4, %arg10[%c1] : memref<5xi64>
    memref.store %c-2147483649_i64, %arg10[%c2] : memref<5xi64>
    memref.store %c1_i64, %arg10[%c3] : memref<5xi64>
    memref.store %2, %arg10[%c4] : memref<5xi64>
    %c0_2 = arith.constant 0 : index
    %c0_3 = arith.constant 0 : index
    memref.store %c-114_i8, %arg11[%c0_2] : memref<1xi8>
    memref.store %arg0, %arg12[%c0_2] : memref<6xindex>
    %c1_4 = arith.constant 1 : index
    memref.store %3, %arg12[%c1_4] : memref<6xindex>
    memref.store %c2, %arg12[%c2] : memref<6xindex>
    memref.store %c0, %arg12[%c3] : memref<6xindex>
    memref.store %c1, %arg12[%c4] : memref<6xindex>
    memref.store %6#0, %arg12[%c5] : memref<6xindex>
    return
  }
}
