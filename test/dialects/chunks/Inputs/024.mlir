// {"kind": "fused", "entry": "chunk24", "traits": [], "arguments": [["a0", ["memref", [4], "f64"], [0, 0], false], ["a1", ["memref", [4], "f64"], [0, 0], false], ["a2", ["memref", [4], "f64"], [0, 0], false], ["o0", ["memref", [4], "f64"], [0, 0], true]], "results": [["o0", ["memref", [4], "f64"], [0, 0], true]]}
module {
  func.func @chunk24(%arg0: memref<4xf64>, %arg1: memref<4xf64>, %arg2: memref<4xf64>, %arg3: memref<4xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    %c0_2 = arith.constant 0 : index
    %cst_3 = arith.constant 0.000000e+00 : f64
    %2 = vector.transfer_read %arg2[%c0_2], %cst_3 {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    %3 = vector.fma %0, %1, %2 : vector<4xf64>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %3, %arg3[%c0_4] {in_bounds = [true]} : vector<4xf64>, memref<4xf64>
    return
  }
}
