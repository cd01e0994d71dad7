// {"kind": "looked_up_elements", "entry": "chunk153", "traits": ["dynamic position"], "arguments": [["a0", ["memref", [2, 4], "i64"], [0, 0], false], ["a1", "i64", [0, 7], false], ["a2", "index", [0, 1], false], ["o0", ["memref", [4], "i64"], [0, 0], true], ["o1", ["memref", [], "i64"], [0, 0], true], ["o2", ["memref", [2, 4], "i64"], [0, 0], true]], "results": [["o0", ["memref", [4], "i64"], [0, 0], true], ["o1", ["memref", [], "i64"], [0, 0], true], ["o2", ["memref", [2, 4], "i64"], [0, 0], true]]}
module {
  func.func @chunk153(%arg0: memref<2x4xi64>, %arg1: i64, %arg2: index, %arg3: memref<4xi64> {tilewright.output}, %arg4: memref<i64> {tilewright.output}, %arg5: memref<2x4xi64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i64 = arith.constant 0 : i64
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i64 {in_bounds = [true, true]} : memref<2x4xi64>, vector<2x4xi64>
    %1 = vector.extract %0[%arg2] : vector<4xi64> from vector<2x4xi64>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg3[%c0_0] {in_bounds = [true]} : vector<4xi64>, memref<4xi64>
    %2 = vector.extract %0[%arg2, 0] : i64 from vector<2x4xi64>
    memref.store %2, %arg4[] : memref<i64>
    %3 = vector.insert %arg1, %0 [%arg2, 0] : i64 into vector<2x4xi64>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %3, %arg5[%c0_1, %c0_1] {in_bounds = [true, true]} : vector<2x4xi64>, memref<2x4xi64>
    return
  }
}
