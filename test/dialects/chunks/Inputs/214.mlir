// {"kind": "flat_product", "entry": "chunk214", "traits": ["matrix intrinsic"], "arguments": [["a0", ["memref", [6], "f64"], [0, 0], false], ["a1", ["memref", [6], "f64"], [0, 0], false], ["o0", ["memref", [4], "f64"], [0, 0], true]], "results": [["o0", ["memref", [4], "f64"], [0, 0], true]]}
module {
  func.func @chunk214(%arg0: memref<6xf64>, %arg1: memref<6xf64>, %arg2: memref<4xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<6xf64>, vector<6xf64>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f64
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<6xf64>, vector<6xf64>
    %2 = vector.matrix_multiply %0, %1 {lhs_columns = 3 : i32, lhs_rows = 2 : i32, rhs_columns = 2 : i32} : (vector<6xf64>, vector<6xf64>) -> vector<4xf64>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %2, %arg2[%c0_2] {in_bounds = [true]} : vector<4xf64>, memref<4xf64>
    return
  }
}
