// {"kind": "calls", "entry": "chunk239", "traits": [], "arguments": [["a63", "i1", [0, 0], false], ["a64", "f64", [0, 0], false], ["a65", "f32", [0, 0], false], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]], "results": [["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_f64", ["memref", [4], "f64"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i16", ["memref", [4], "i16"], [0, 0], true], ["out_i32", ["memref", [4], "i32"], [0, 0], true], ["out_i64", ["memref", [2], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [1], "index"], [0, 0], true]]}
module {
  func.func private @chunk239_n1() -> i8 {
    %c-1_i32 = arith.constant -1 : i32
    %0 = math.absi %c-1_i32 : i32
    %c-4521621039690746570_i64 = arith.constant -4521621039690746570 : i64
    %c7_i64 = arith.constant 7 : i64
    %1 = arith.andi %c-4521621039690746570_i64, %c7_i64 : i64
    %2 = math.ipowi %1, %1 : i64
    %cst = arith.constant 1.000000e+01 : f32
    %3 = arith.subf %cst, %cst : f32
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 9 : index
    %cst_0 = arith.constant 1.000000e+00 : f64
    %c-31_i8 = arith.constant -31 : i8
    %4:3 = scf.for %arg0 = %c1 to %c9 step %c3 iter_args(%arg1 = %cst_0, %arg2 = %c-31_i8, %arg3 = %3) -> (f64, i8, f32) {
      %6 = arith.divf %cst_0, %arg1 : f64
      %7 = arith.minsi %arg0, %arg0 : index
      %8 = arith.cmpf ord, %6, %6 : f64
      %cst_2 = arith.constant 1.000000e+00 : f64
      %9 = arith.select %8, %6, %cst_2 : f64
      %cst_3 = arith.constant -1.280000e+02 : f64
      %10 = arith.maximumf %9, %cst_3 : f64
      %cst_4 = arith.constant 1.270000e+02 : f64
      %11 = arith.minimumf %10, %cst_4 : f64
      %12 = arith.fptosi %11 : f64 to i32
      %c7_i64_5 = arith.constant 7 : i64
      %13 = arith.andi %c-4521621039690746570_i64, %c7_i64_5 : i64
      %c2147483649_i64 = arith.constant 2147483649 : i64
      %14 = math.ipowi %c2147483649_i64, %13 : i64
      %15 = math.ipowi %c2147483649_i64, %13 : i64
      scf.yield %cst_3, %arg2, %arg3 : f64, i8, f32
    }
    %cst_1 = arith.constant 6.400000e+01 : f32
    %5 = arith.addf %cst_1, %4#2 : f32
    return %4#1 : i8
  }
  func.func private @chunk239_n39(%arg0: i64, %arg1: memref<4x1xi32>) -> i32 {
    %0 = call @chunk239_n1() : () -> i8
    %c4 = arith.constant 4 : index
    %c4_0 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %1 = arith.cmpi ult, %c4, %c3 : index
    %c-3_i32 = arith.constant -3 : i32
    return %c-3_i32 : i32
  }
  func.func private @chunk239_n48(%arg0: memref<1x1x1xf32>) -> i64 {
    %cst = arith.constant 7.000000e+00 : f64
    %0 = math.ceil %cst : f64
    %1 = call @chunk239_n1() : () -> i8
    %2 = call @chunk239_n1() : () -> i8
    %c0 = arith.constant 0 : index
    %3 = memref.load %arg0[%c0, %c0, %c0] : memref<1x1x1xf32>
    %4 = call @chunk239_n1() : () -> i8
    %c32767_i16 = arith.constant 32767 : i16
    %c7_i16 = arith.constant 7 : i16
    %5 = arith.andi %c32767_i16, %c7_i16 : i16
    %c1_i16 = arith.constant 1 : i16
    %6 = arith.ori %5, %c1_i16 : i16
    %7 = arith.ceildivsi %c32767_i16, %6 : i16
    %c-128_i64 = arith.constant -128 : i64
    return %c-128_i64 : i64
  }
  func.func @chunk239(%arg0: i1, %arg1: f64, %arg2: f32, %arg3: memref<1xf32> {tilewright.output}, %arg4: memref<4xf64> {tilewright.output}, %arg5: memref<2xi1> {tilewright.output}, %arg6: memref<4xi16> {tilewright.output}, %arg7: memref<4xi32> {tilewright.output}, %arg8: memref<2xi64> {tilewright.output}, %arg9: memref<2xi8> {tilewright.output}, %arg10: memref<1xindex> {tilewright.output}) {
    %c2_i16 = arith.constant 2 : i16
    %c7_i16 = arith.constant 7 : i16
    %0 = arith.andi %c2_i16, %c7_i16 : i16
    %1 = math.ipowi %c2_i16, %0 : i16
    scf.if %arg0 {
      %cst = arith.constant -1.000000e+00 : f32
      %9 = arith.cmpf ult, %arg2, %cst : f32
      %c256_i32 = arith.constant 256 : i32
      %10 = arith.uitofp %c256_i32 : i32 to f32
    } else {
      %c5 = arith.constant 5 : index
      %c1_2 = arith.constant 1 : index
      %9 = arith.divsi %c5, %c1_2 : index
      %c0_i64_3 = arith.constant 0 : i64
      %c-2_i64 = arith.constant -2 : i64
      %10 = arith.ori %c-2_i64, %c0_i64_3 : i64
      %c1_4 = arith.constant 1 : index
      %c2_5 = arith.constant 2 : index
      scf.for %arg11 = %c1_4 to %c1_2 step %c2_5 {
        %c7_i8 = arith.constant 7 : i8
        %low_6, %high_7 = arith.mulsi_extended %c7_i8, %c7_i8 : i8
        %11 = arith.minimumf %arg2, %arg2 : f32
        %12 = arith.maximumf %11, %11 : f32
      }
    }
    %c-2147483647_i32 = arith.constant -2147483647 : i32
    %c-128_i32 = arith.constant -128 : i32
    %2 = arith.cmpi uge, %c-2147483647_i32, %c-128_i32 : i32
    %c0_i64 = arith.constant 0 : i64
    %3 = call @chunk239_n1() : () -> i8
    %4 = math.absf %arg1 : f64
    %5 = math.absf %4 : f64
    %6 = arith.maxnumf %4, %5 : f64
    %low, %high = arith.mulsi_extended %c-2147483647_i32, %c-2147483647_i32 : i32
    %c-3 = arith.constant -3 : index
    %7 = arith.extui %arg0 : i1 to i64
    %8 = arith.ori %3, %3 : i8
    %c0 = arith.constant 0 : index
    memref.store %arg2, %arg3[%c0] : memref<1xf32>
    memref.store %arg1, %arg4[%c0] : memref<4xf64>
    %c1 = arith.constant 1 : index
    memref.store %4, %arg4[%c1] : memref<4xf64>
    %c2 = arith.constant 2 : index
    memref.store %5, %arg4[%c2] : memref<4xf64>
    %c3 = arith.constant 3 : index
    memref.store %6, %arg4[%c3] : memref<4xf64>
    %c0_0 = arith.constant 0 : index
    memref.store %arg0, %arg5[%c0_0] : memref<2xi1>
    memref.store %2, %arg5[%c1] : memref<2xi1>
    memref.store %c2_i16, %arg6[%c0] : memref<4xi16>
    memref.store %c7_i16, %arg6[%c1] : memref<4xi16>
    memref.store %0, %arg6[%c2] : memref<4xi16>
    memref.store %1, %arg6[%c3] : memref<4xi16>
    memref.store %c-2147483647_i32, %arg7[%c0] : memref<4xi32>
    %c1_1 = arith.constant 1 : index
    memref.store %c-128_i32, %arg7[%c1_1] : memref<4xi32>
    memref.store %low, %arg7[%c2] : memref<4xi32>
    memref.store %high, %arg7[%c3] : memref<4xi32>
    memref.store %c0_i64, %arg8[%c0_0] : memref<2xi64>
    memref.store %7, %arg8[%c1_1] : memref<2xi64>
    memref.store %3, %arg9[%c0] : memref<2xi8>
    memref.store %8, %arg9[%c1_1] : memref<2xi8>
    memref.store %c-3, %arg10[%c0] : memref<1xindex>
    return
  }
}
