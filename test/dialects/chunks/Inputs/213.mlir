// {"kind": "flat", "entry": "chunk213", "traits": ["matrix intrinsic"], "arguments": [["a0", ["memref", [4], "f64"], [0, 0], false], ["o0", ["memref", [4], "f64"], [0, 0], true]], "results": [["o0", ["memref", [4], "f64"], [0, 0], true]]}
module {
  func.func @chunk213(%arg0: memref<4xf64>, %arg1: memref<4xf64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %0 = vector.transfer_read %arg0[%c0], %cst {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    %1 = vector.flat_transpose %0 {columns = 2 : i32, rows = 2 : i32} : vector<4xf64> -> vector<4xf64>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg1[%c0_0] {in_bounds = [true]} : vector<4xf64>, memref<4xf64>
    return
  }
}
