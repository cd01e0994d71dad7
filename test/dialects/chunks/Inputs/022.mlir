// {"kind": "flat_product", "entry": "chunk22", "traits": ["matrix intrinsic"], "arguments": [["a0", ["memref", [1], "f32"], [0, 0], false], ["a1", ["memref", [3], "f32"], [0, 0], false], ["o0", ["memref", [3], "f32"], [0, 0], true]], "results": [["o0", ["memref", [3], "f32"], [0, 0], true]]}
module {
  func.func @chunk22(%arg0: memref<1xf32>, %arg1: memref<3xf32>, %arg2: memref<3xf32> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<1xf32>, vector<1xf32>
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f32
    %1 = vector.transfer_read %arg1[%c0_0], %cst_1 {in_bounds = [true]} : memref<3xf32>, vector<3xf32>
    %2 = vector.matrix_multiply %0, %1 {lhs_columns = 1 : i32, lhs_rows = 1 : i32, rhs_columns = 3 : i32} : (vector<1xf32>, vector<3xf32>) -> vector<3xf32>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %2, %arg2[%c0_2] {in_bounds = [true]} : vector<3xf32>, memref<3xf32>
    return
  }
}
