// {"kind": "generated", "entry": "chunk27", "traits": [], "arguments": [["a0", ["tensor", [], "i64"], [0, 7], false]], "results": [["r0", ["tensor", [1, 1], "i64"], [0, 0], true]]}
module {
  func.func @chunk27(%arg0: tensor<i64>) -> tensor<1x1xi64> {
    %extracted = tensor.extract %arg0[] : tensor<i64>
    %generated = tensor.generate  {
    ^bb0(%arg1: index, %arg2: index):
      %0 = arith.index_cast %arg2 : index to i64
      %1 = arith.addi %0, %extracted : i64
      tensor.yield %1 : i64
    } : tensor<1x1xi64>
    return %generated : tensor<1x1xi64>
  }
}
