// {"kind": "generated", "entry": "chunk219", "traits": [], "arguments": [["a0", ["tensor", [], "i32"], [0, 7], false]], "results": [["r0", ["tensor", [2, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk219(%arg0: tensor<i32>) -> tensor<2x3xi32> {
    %extracted = tensor.extract %arg0[] : tensor<i32>
    %generated = tensor.generate  {
    ^bb0(%arg1: index, %arg2: index):
      %0 = arith.index_cast %arg2 : index to i32
      %1 = arith.addi %0, %extracted : i32
      tensor.yield %1 : i32
    } : tensor<2x3xi32>
    return %generated : tensor<2x3xi32>
  }
}
