// {"kind": "flat", "entry": "chunk21", "traits": ["matrix intrinsic"], "arguments": [["a0", ["memref", [2], "f64"], [0, 0], false], ["o0", ["memref", [2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [2], "f64"], [0, 0], true]]}
module {
  func.func @chunk21(%arg0: memref<2xf64>, %arg1: memref<2xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<2xf64>, vector<2xf64>
    %1 = vector.flat_transpose %0 {columns = 1 : i32, rows = 2 : i32} : vector<2xf64> -> vector<2xf64>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg1[%c0_0] {in_bounds = [true]} : vector<2xf64>, memref<2xf64>
    return
  }
}
