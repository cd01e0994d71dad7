// {"kind": "shown", "entry": "chunk177", "traits": ["not run"], "arguments": [["a0", ["memref", [3, 3], "i32"], [0, 0], false], ["a1", "i32", [0, 7], false], ["a2", ["memref", [2, 2, 4], "i32"], [0, 0], false]], "results": []}
module {
  func.func @chunk177(%arg0: memref<3x3xi32>, %arg1: i32, %arg2: memref<2x2x4xi32>) {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = vector.transfer_read %arg0[%c0, %c0], %c0_i32 {in_bounds = [true, true]} : memref<3x3xi32>, vector<3x3xi32>
    vector.print %0 : vector<3x3xi32>
    vector.print %arg1 : i32 punctuation <comma>
    vector.print str "begin"
    %c3 = arith.constant 3 : index
    %c3_0 = arith.constant 3 : index
    %c0_1 = arith.constant 0 : index
    %c0_i32_2 = arith.constant 0 : i32
    %1 = vector.transfer_read %arg2[%c0_1, %c0_1, %c0_1], %c0_i32_2 {in_bounds = [true, true, true]} : memref<2x2x4xi32>, vector<2x2x4xi32>
    %2 = vector.reshape %1, [%c3, %c3_0], [%c3_0, %c3], [4] : vector<2x2x4xi32> to vector<2x2x4xi32>
    %c0_3 = arith.constant 0 : index
    %3 = vector.warp_execute_on_lane_0(%c0_3)[32] -> (vector<1xi32>) {
      %cst = arith.constant dense<0> : vector<32xi32>
      vector.yield %cst : vector<32xi32>
    }
    return
  }
}
