// {"kind": "scanned", "entry": "chunk172", "traits": ["scan"], "arguments": [["a0", ["memref", [1, 3], "f64"], [0, 0], false], ["a1", ["memref", [1], "f64"], [0, 0], false], ["o0", ["memref", [1, 3], "f64"], [0, 0], true], ["o1", ["memref", [1], "f64"], [0, 0], true]], "results": [["o0", ["memref", [1, 3], "f64"], [0, 0], true], ["o1", ["memref", [1], "f64"], [0, 0], true]]}
module {
  func.func @chunk172(%arg0: memref<1x3xf64>, %arg1: memref<1xf64>, %arg2: memref<1x3xf64> {tilewright.output}, %arg3: memref<1xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0, %c0], %cst {in_bounds = [true, true]} : memref<1x3xf64>, vector<1x3xf64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<1xf64>, vector<1xf64>
    %dest, %accumulated_value = vector.scan <mul>, %0, %1 {inclusive = false, reduction_dim = 1 : i64} : vector<1x3xf64>, vector<1xf64>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %dest, %arg2[%c0_2, %c0_2] {in_bounds = [true, true]} : vector<1x3xf64>, memref<1x3xf64>
    %c0_3 = arith.constant 0 : index
    vector.transfer_write %accumulated_value, %arg3[%c0_3] {in_bounds = [true]} : vector<1xf64>, memref<1xf64>
    return
  }
}
