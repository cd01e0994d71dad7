// {"kind": "shuffled", "entry": "chunk178", "traits": [], "arguments": [["a0", ["memref", [1], "i32"], [0, 0], false], ["a1", ["memref", [3], "i32"], [0, 0], false], ["a2", ["memref", [1], "i32"], [0, 0], false], ["o0", ["memref", [2], "i32"], [0, 0], true], ["o1", ["memref", [2], "i32"], [0, 0], true], ["o2", ["memref", [1], "i32"], [0, 0], true], ["o3", ["memref", [1], "i32"], [0, 0], true]], "results": [["o0", ["memref", [2], "i32"], [0, 0], true], ["o1", ["memref", [2], "i32"], [0, 0], true], ["o2", ["memref", [1], "i32"], [0, 0], true], ["o3", ["memref", [1], "i32"], [0, 0], true]]}
module {
  func.func @chunk178(%arg0: memref<1xi32>, %arg1: memref<3xi32>, %arg2: memref<1xi32>, %arg3: memref<2xi32> {tilewright.output}, %arg4: memref<2xi32> {tilewright.output}, %arg5: memref<1xi32> {tilewright.output}, %arg6: memref<1xi32> {tilewright.output}) {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = vector.transfer_read %arg0[%c0], %c0_i32 {in_bounds = [true]} : memref<1xi32>, vector<1xi32>
    %c0_0 = arith.constant 0 : index
    %c0_i32_1 = arith.constant 0 : i32
    %1 = vector.transfer_read %arg1[%c0_0], %c0_i32_1 {in_bounds = [true]} : memref<3xi32>, vector<3xi32>
    %2 = vector.shuffle %0, %1 [1, 3] : vector<1xi32>, vector<3xi32>
    %c0_2 = arith.constant 0 : index
    vector.transfer_write %2, %arg3[%c0_2] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %c0_3 = arith.constant 0 : index
    %c0_i32_4 = arith.constant 0 : i32
    %3 = vector.transfer_read %arg2[%c0_3], %c0_i32_4 {in_bounds = [true]} : memref<1xi32>, vector<1xi32>
    %4 = vector.interleave %0, %3 : vector<1xi32> -> vector<2xi32>
    %c0_5 = arith.constant 0 : index
    vector.transfer_write %4, %arg4[%c0_5] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %res1, %res2 = vector.deinterleave %4 : vector<2xi32> -> vector<1xi32>
    %c0_6 = arith.constant 0 : index
    vector.transfer_write %res1, %arg5[%c0_6] {in_bounds = [true]} : vector<1xi32>, memref<1xi32>
    %c0_7 = arith.constant 0 : index
    vector.transfer_write %res2, %arg6[%c0_7] {in_bounds = [true]} : vector<1xi32>, memref<1xi32>
    return
  }
}
