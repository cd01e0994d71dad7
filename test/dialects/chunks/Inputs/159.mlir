// {"kind": "masks", "entry": "chunk159", "traits": [], "arguments": [["a0", "index", [0, 7], false], ["a1", "index", [0, 7], false], ["o0", ["memref", [2, 3], "i8"], [0, 0], true], ["o1", ["memref", [2, 3], "i8"], [0, 0], true], ["o2", ["memref", [2], "i8"], [0, 0], true]], "results": [["o0", ["memref", [2, 3], "i8"], [0, 0], true], ["o1", ["memref", [2, 3], "i8"], [0, 0], true], ["o2", ["memref", [2], "i8"], [0, 0], true]]}
module {
  func.func @chunk159(%arg0: index, %arg1: index, %arg2: memref<2x3xi8> {tilewright.output}, %arg3: memref<2x3xi8> {tilewright.output}, %arg4: memref<2xi8> {tilewright.output}) {
    %0 = vector.constant_mask [1, 3] : vector<2x3xi1>
    %1 = arith.extui %0 : vector<2x3xi1> to vector<2x3xi8>
    %c0 = arith.constant 0 : index
    vector.transfer_write %1, %arg2[%c0, %c0] {in_bounds = [true, true]} : vector<2x3xi8>, memref<2x3xi8>
    %2 = vector.create_mask %arg0, %arg1 : vector<2x3xi1>
    %3 = arith.extui %2 : vector<2x3xi1> to vector<2x3xi8>
    %c0_0 = arith.constant 0 : index
    vector.transfer_write %3, %arg3[%c0_0, %c0_0] {in_bounds = [true, true]} : vector<2x3xi8>, memref<2x3xi8>
    %4 = vector.create_mask %arg0 : vector<2xi1>
    %5 = arith.extui %4 : vector<2xi1> to vector<2xi8>
    %c0_1 = arith.constant 0 : index
    vector.transfer_write %5, %arg4[%c0_1] {in_bounds = [true]} : vector<2xi8>, memref<2xi8>
    return
  }
}
