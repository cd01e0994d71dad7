// {"kind": "mixed", "entry": "chunk293", "traits": ["half"], "arguments": [["a11", ["memref", [1], "i8"], [0, 0], false], ["a12", "i64", [0, 0], false], ["a13", "i32", [0, 0], false], ["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out7", ["memref", [1], "i8"], [0, 0], true]], "results": [["out_bf16", ["memref", [4], "bf16"], [0, 0], true], ["out_f16", ["memref", [3], "f16"], [0, 0], true], ["out_i1", ["memref", [3], "i1"], [0, 0], true], ["out_i32", ["memref", [2], "i32"], [0, 0], true], ["out_i64", ["memref", [1], "i64"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out7", ["memref", [1], "i8"], [0, 0], true]]}
#map = affine_map<(d0) -> (2)>
#set = affine_set<(d0) : (d0 mod 5 >= 0)>
module {
  func.func private @chunk293_n1(%arg0: memref<i8>) -> i32 {
    %alloca = memref.alloca() : memref<i8>
    %c-3_i8 = arith.constant -3 : i8
    linalg.fill ins(%c-3_i8 : i8) outs(%alloca : memref<i8>)
    memref.copy %arg0, %alloca : memref<i8> to memref<i8>
    %alloca_0 = memref.alloca() : memref<i8>
    linalg.fill ins(%c-3_i8 : i8) outs(%alloca_0 : memref<i8>)
    linalg.copy ins(%alloca : memref<i8>) outs(%alloca_0 : memref<i8>)
    %cst = arith.constant -0.000000e+00 : f32
    %cst_1 = arith.constant -0.000000e+00 : f32
    %0 = arith.cmpf ueq, %cst, %cst : f32
    %c5_i32 = arith.constant 5 : i32
    return %c5_i32 : i32
  }
  memref.global "private" constant @chunk293_n60 : memref<i16> = dense<-1>
  func.func @chunk293(%arg0: memref<1xi8>, %arg1: i64, %arg2: i32, %arg3: memref<4xbf16> {tilewright.output}, %arg4: memref<3xf16> {tilewright.output}, %arg5: memref<3xi1> {tilewright.output}, %arg6: memref<2xi32> {tilewright.output}, %arg7: memref<1xi64> {tilewright.output}, %arg8: memref<2xi8> {tilewright.output}, %arg9: memref<3xindex> {tilewright.output}, %arg10: memref<1xi8> {tilewright.output}) {
    %0 = arith.cmpi ult, %arg1, %arg1 : i64
    %c6_i8 = arith.constant 6 : i8
    %cst = arith.constant -1.778130e+01 : f16
    %1:3 = scf.if %0 -> (i8, i32, f16) {
      %c7 = arith.constant 7 : index
      %5 = affine.apply #map(%c7)
      %c19_i8 = arith.constant 19 : i8
      scf.yield %c19_i8, %arg2, %cst : i8, i32, f16
    } else {
      %cst_7 = arith.constant 1.000000e+01 : f16
      scf.yield %c6_i8, %arg2, %cst_7 : i8, i32, f16
    }
    %2 = scf.if %0 -> (f16) {
      %cst_7 = arith.constant 2.72220935E-25 : f32
      %5 = arith.select %0, %cst_7, %cst_7 : f32
      %6 = arith.divf %5, %cst_7 : f32
      %cst_8 = arith.constant 4.075000e+01 : f16
      scf.yield %cst_8 : f16
    } else {
      %c0_7 = arith.constant 0 : index
      %5 = memref.load %arg0[%c0_7] : memref<1xi8>
      %c-3 = arith.constant -3 : index
      %c1_8 = arith.constant 1 : index
      %6 = arith.maxsi %c-3, %c1_8 : index
      scf.yield %cst : f16
    }
    %cst_0 = arith.constant -4.420040e+14 : bf16
    %false = arith.constant false
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %3:3 = scf.while (%arg11 = %c0, %arg12 = %cst_0, %arg13 = %false) : (index, bf16, i1) -> (index, bf16, i1) {
      %5 = arith.cmpi slt, %arg11, %c0 : index
      %6 = arith.andi %5, %arg13 : i1
      scf.condition(%6) %arg11, %arg12, %arg13 : index, bf16, i1
    } do {
    ^bb0(%arg11: index, %arg12: bf16, %arg13: i1):
      %c-127_i16 = arith.constant -127 : i16
      %5:3 = affine.if #set(%c1) -> (i16, i64, i1) {
        %c-32768_i16 = arith.constant -32768 : i16
        %true = arith.constant true
        affine.yield %c-32768_i16, %arg1, %true : i16, i64, i1
      } else {
        %c7_i64 = arith.constant 7 : i64
        %c7_i64_9 = arith.constant 7 : i64
        %8 = arith.andi %arg1, %c7_i64 : i64
        %9 = math.ipowi %arg1, %8 : i64
        affine.yield %c-127_i16, %c7_i64, %false : i16, i64, i1
      }
      %6 = memref.get_global @chunk293_n60 : memref<i16>
      %7 = arith.addi %arg11, %c1 : index
      %cst_7 = arith.constant 0.000000e+00 : bf16
      %cst_8 = arith.constant 0.000000e+00 : bf16
      scf.yield %7, %cst_7, %5#2 : index, bf16, i1
    }
    %alloca = memref.alloca() : memref<1xi8>
    linalg.fill ins(%1#0 : i8) outs(%alloca : memref<1xi8>)
    linalg.mul ins(%arg0, %arg0 : memref<1xi8>, memref<1xi8>) outs(%alloca : memref<1xi8>)
    %cst_1 = arith.constant -0.000000e+00 : bf16
    %4 = arith.divf %3#1, %cst_1 : bf16
    memref.store %1#0, %alloca[%c0] : memref<1xi8>
    %c0_2 = arith.constant 0 : index
    memref.store %cst_0, %arg3[%c0_2] : memref<4xbf16>
    memref.store %3#1, %arg3[%c1] : memref<4xbf16>
    %c2 = arith.constant 2 : index
    memref.store %cst_1, %arg3[%c2] : memref<4xbf16>
    %c3 = arith.constant 3 : index
    memref.store %4, %arg3[%c3] : memref<4xbf16>
    memref.store %cst, %arg4[%c0_2] : memref<3xf16>
    memref.store %1#2, %arg4[%c1] : memref<3xf16>
    memref.store %2, %arg4[%c2] : memref<3xf16>
    %c0_3 = arith.constant 0 : index
    memref.store %0, %arg5[%c0_3] : memref<3xi1>
    %c1_4 = arith.constant 1 : index
    memref.store %false, %arg5[%c1_4] : memref<3xi1>
    memref.store %3#2, %arg5[%c2] : memref<3xi1>
    memref.store %arg2, %arg6[%c0_2] : memref<2xi32>
    memref.store %1#1, %arg6[%c1_4] : memref<2xi32>
    memref.store %arg1, %arg7[%c0_3] : memref<1xi64>
    memref.store %c6_i8, %arg8[%c0] : memref<2xi8>
    memref.store %1#0, %arg8[%c1_4] : memref<2xi8>
    memref.store %c0, %arg9[%c0_2] : memref<3xindex>
    %c1_5 = arith.constant 1 : index
    memref.store %c1, %arg9[%c1_5] : memref<3xindex>
    %c2_6 = arith.constant 2 : index
    memref.store %3#0, %arg9[%c2_6] : memref<3xindex>
    memref.copy %alloca, %arg10 : memref<1xi8> to memref<1xi8>
    return
  }
}
