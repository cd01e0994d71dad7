// {"kind": "made", "entry": "chunk154", "traits": [], "arguments": [["a0", "i32", [0, 7], false], ["a1", "i32", [0, 7], false], ["a2", "i32", [0, 7], false], ["a3", ["memref", [1], "i32"], [0, 0], false], ["o0", ["memref", [2], "i32"], [0, 0], true], ["o1", ["memref", [2], "i32"], [0, 0], true], ["o2", ["memref", [2], "i32"], [0, 0], true], ["o3", ["memref", [2], "i32"], [0, 0], true], ["o4", ["memref", [2], "index"], [0, 0], true]], "results": [["o0", ["memref", [2], "i32"], [0, 0], true], ["o1", ["memref", [2], "i32"], [0, 0], true], ["o2", ["memref", [2], "i32"], [0, 0], true], ["o3", ["memref", [2], "i32"], [0, 0], true], ["o4", ["memref", [2], "index"], [0, 0], true]]}
module {
  func.func @chunk154(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<1xi32>, %arg4: memref<2xi32> {tilewright.output}, %arg5: memref<2xi32> {tilewright.output}, %arg6: memref<2xi32> {tilewright.output}, %arg7: memref<2xi32> {tilewright.output}, %arg8: memref<2xindex> {tilewright.output}) {
    %0 = vector.from_elements %arg1, %arg2 : vector<2xi32>
    %c0 = arith.constant 0 : index
    vector.transfer_write %0, %arg4[%c0] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %1 = vector.splat %arg0 : vector<2xi32>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %1, %arg5[%c0_0] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %2 = vector.broadcast %arg0 : i32 to vector<2xi32>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %2, %arg6[%c0_1] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %c0_2 = arith.constant 0 : index
    %3 = memref.load %arg3[%c0_2] : memref<1xi32>
    %4 = vector.broadcast %3 : i32 to vector<i32>
    %5 = vector.broadcast %4 : vector<i32> to vector<2xi32>
    %c0_3 = arith.constant 0 : index
    vector.transfer_write %5, %arg7[%c0_3] {in_bounds = [true]} : vector<2xi32>, memref<2xi32>
    %6 = vector.step : vector<2xindex>
    %c0_4 = arith.constant 0 : index
    vector.transfer_write %6, %arg8[%c0_4] {in_bounds = [true]} : vector<2xindex>, memref<2xindex>
    return
  }
}
