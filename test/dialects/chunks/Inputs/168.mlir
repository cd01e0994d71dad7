// {"kind": "reductions", "entry": "chunk168", "traits": [], "arguments": [["a0", ["memref", [4], "f64"], [0, 0], false], ["a1", "f64", [0, 7], false], ["a2", ["memref", [4, 3], "f64"], [0, 0], false], ["a3", ["memref", [3], "f64"], [0, 0], false], ["o0", ["memref", [], "f64"], [0, 0], true], ["o1", ["memref", [], "f64"], [0, 0], true], ["o2", ["memref", [3], "f64"], [0, 0], true]], "results": [["o0", ["memref", [], "f64"], [0, 0], true], ["o1", ["memref", [], "f64"], [0, 0], true], ["o2", ["memref", [3], "f64"], [0, 0], true]]}
module {
  func.func @chunk168(%arg0: memref<4xf64>, %arg1: f64, %arg2: memref<4x3xf64>, %arg3: memref<3xf64>, %arg4: memref<f64> {tilewright.output}, %arg5: memref<f64> {tilewright.output}, %arg6: memref<3xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    %1 = vector.reduction <minimumf>, %0 : vector<4xf64> into f64
    memref.store %1, %arg4[] : memref<f64>
    %2 = vector.reduction <maxnumf>, %0, %arg1 : vector<4xf64> into f64
    memref.store %2, %arg5[] : memref<f64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %3 = vector.transfer_read %arg2[%c0_0, %c0_0], %cst_1 {in_bounds = [true, true]} : memref<4x3xf64>, vector<4x3xf64>
    %c0_2 = arith.constant 0 : index
    %cst_3 = arith.constant 0.000000e+00 : f64
    %4 = vector.transfer_read %arg3[%c0_2], %cst_3 {in_bounds = [true]} : memref<3xf64>, vector<3xf64>
    %5 = vector.multi_reduction <mul>, %3, %4 [0] : vector<4x3xf64> to vector<3xf64>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %5, %arg6[%c0_4] {in_bounds = [true]} : vector<3xf64>, memref<3xf64>
    return
  }
}
