// {"kind": "strided", "entry": "chunk181", "traits": [], "arguments": [["a0", ["memref", [1, 3], "i64"], [0, 0], false], ["a1", ["memref", [1, 3], "i64"], [0, 0], false], ["o0", ["memref", [1, 2], "i64"], [0, 0], true], ["o1", ["memref", [1, 3], "i64"], [0, 0], true], ["o2", ["memref", [1, 3], "i64"], [0, 0], true]], "results": [["o0", ["memref", [1, 2], "i64"], [0, 0], true], ["o1", ["memref", [1, 3], "i64"], [0, 0], true], ["o2", ["memref", [1, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk181(%arg0: memref<1x3xi64>, %arg1: memref<1x3xi64>, %arg2: memref<1x2xi64> {tilewright.output}, %arg3: memref<1x3xi64> {tilewright.output}, %arg4: memref<1x3xi64> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i64 = arith.constant 0 : i64
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i64 {in_bounds = [true, true]} : memref<1x3xi64>, vector<1x3xi64>
    %1 = vector.extract_strided_slice %0 {offsets = [0, 1], sizes = [1, 2], strides = [1, 1]} : vector<1x3xi64> to vector<1x2xi64>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg2[%c0_0, %c0_0] {in_bounds = [true, true]} : vector<1x2xi64>, memref<1x2xi64>
    %c0_1 = arith.constant 0 : index
    %c0_i64_2 = arith.constant 0 : i64
    %2 = vector.transfer_read %arg1[%c0_1, %c0_1], %c0_i64_2 {in_bounds = [true, true]} : memref<1x3xi64>, vector<1x3xi64>
    %3 = vector.insert_strided_slice %1, %2 {offsets = [0, 1], strides = [1, 1]} : vector<1x2xi64> into vector<1x3xi64>
    %c0_3 = arith.constant 0 : index
    vector.transfer_write %3, %arg3[%c0_3, %c0_3] {in_bounds = [true, true]} : vector<1x3xi64>, memref<1x3xi64>
    %4 = vector.extract_strided_slice %0 {offsets = [0], sizes = [1], strides = [1]} : vector<1x3xi64> to vector<1x3xi64>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %4, %arg4[%c0_4, %c0_4] {in_bounds = [true, true]} : vector<1x3xi64>, memref<1x3xi64>
    return
  }
}
