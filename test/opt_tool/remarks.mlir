// RUN: opt-tool %s -p fuse-epilogues --remarks %t.json --remarks - 2>&1 -o %t.mlir | filecheck %s
// RUN: filecheck %s --check-prefix=JSON --input-file %t.json
// RUN: opt-tool %s -p fuse-epilogues -o - | diff - %t.mlir
// RUN: opt-tool %s -p fuse-epilogues --remarks-filter='missed .*fusion' --remarks - -o %t.mlir 2>&1 | filecheck %s --check-prefix=FILTER
// RUN: opt-tool %s -p fuse-epilogues --remarks-filter=fusion --verify-diagnostics -o %t.mlir
// RUN: opt-tool %s -p fuse-epilogues --explain=%%y | filecheck %s --check-prefix=VALUE
// RUN: opt-tool %s -p fuse-epilogues --explain=@kept::%%q | filecheck %s --check-prefix=KEPT
// RUN: opt-tool %s -p fuse-epilogues --explain=double | filecheck %s --check-prefix=NODE
// RUN: opt-tool %s -p fuse-epilogues --explain=@fused::%%e | filecheck %s --check-prefix=NOTHING

// The product and what comes after it are one kernel.
// CHECK: node "product" + "double": remark: [fuse-epilogues] passed fusion of 'nn.matmul': one kernel of 2, of 1 scalar ops
// VALUE:      %y: 'nn.matmul' in @fused, node "product" + "double"
// VALUE-NEXT:   fuse-epilogues, pass 1
// VALUE-NEXT:     passed fusion: one kernel of 2, of 1 scalar ops
// NODE:      double
// NODE-NEXT:   fuse-epilogues, pass 1
// NODE-NEXT:     passed fusion of 'nn.matmul': one kernel of 2, of 1 scalar ops
// NOTHING:      @fused::%e: 'tensor.empty' in @fused
// NOTHING-NEXT:   no pass remarks on it

// JSON:      [
// JSON-NEXT: {"kind": "passed", "pass": "fuse-epilogues", "number": 1, "name": "fusion", "message": "one kernel of 2, of 1 scalar ops",
// JSON-SAME: "op": "nn.matmul", "function": "fused", "nodes": ["product", "double"], "positions": [],
// JSON-SAME: "location": "node \"product\" + \"double\"", "args": {"kernels": 2, "ops": 1}},
func.func @fused(%x: tensor<2x4xi32>, %w: tensor<4x4xi32>) -> tensor<2x4xi32> {
  %e = tensor.empty() : tensor<2x4xi32>
  %p = nn.matmul ins(%x, %w : tensor<2x4xi32>, tensor<4x4xi32>) outs(%e : tensor<2x4xi32>) {accumulator = i32} loc("product") // expected-remark {{[fuse-epilogues] passed fusion}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x4xi32>) outs(%e : tensor<2x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<2x4xi32> loc("double")
  func.return %y : tensor<2x4xi32>
}

// A product with another use is not fused.
// CHECK-NEXT: remarks.mlir:{{[0-9]+}}:3: remark: [fuse-epilogues] missed fusion of 'linalg.generic': not fused into 'nn.matmul', operand 0: the result has 2 uses
// CHECK-NOT: remark
// FILTER-NOT: passed
// FILTER: missed fusion of 'linalg.generic'
// FILTER-NOT: passed
// KEPT:      @kept::%q: 'linalg.generic' in @kept
// KEPT-NEXT:   fuse-epilogues, pass 1
// KEPT-NEXT:     missed fusion: not fused into 'nn.matmul', operand 0: the result has 2 uses
// JSON-NEXT: {"kind": "missed",
// JSON-SAME: "args": {"operand": 0, "producer": "nn.matmul", "nodes": [], "reason": "the result has 2 uses"}}
// JSON-NEXT: ]
func.func @kept(%x: tensor<2x4xi32>, %w: tensor<4x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %e = tensor.empty() : tensor<2x4xi32>
  %p = nn.matmul ins(%x, %w : tensor<2x4xi32>, tensor<4x4xi32>) outs(%e : tensor<2x4xi32>) {accumulator = i32}
  // expected-remark@+1 {{missed fusion of 'linalg.generic': not fused into 'nn.matmul', operand 0: the result has 2 uses}}
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x4xi32>) outs(%e : tensor<2x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<2x4xi32>
  func.return %p, %q : tensor<2x4xi32>, tensor<2x4xi32>
}
