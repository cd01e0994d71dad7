// RUN: opt-tool %s --split-input-file -p attach-machine{target=siracusa},convert-to-npu,canonicalize | filecheck %s
// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/npu/npu.toml},convert-to-npu | filecheck %s --check-prefix=ALONE

// Each product of one row takes less on the cluster. Of three that may run at once the NPU does two meanwhile; of three
// of which each needs the one before it does none, and neither where it has no queue.

// ALONE-NOT: npu.matmul ins(

// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-2: npu.matmul ins(
// CHECK-NOT:     npu.matmul ins(
func.func @siblings(%x: tensor<1x64xi8>) -> (tensor<1x64xi32>, tensor<1x64xi32>, tensor<1x64xi32>) {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %o = tensor.empty() : tensor<1x64xi32>
  %q = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  %k = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  %v = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  func.return %q, %k, %v : tensor<1x64xi32>, tensor<1x64xi32>, tensor<1x64xi32>
}

// -----

// CHECK-LABEL: func.func @chain
// CHECK-NOT:     npu.matmul ins(
// CHECK:         func.return
func.func @chain(%x: tensor<1x64xi8>) -> tensor<1x64xi8> {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %s = arith.constant 3 : i32
  %o = tensor.empty() : tensor<1x64xi8>
  %a = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi8>) {accumulator = i32, transpose_b}
    epilogue() at [] {
  ^bb0(%sum: i32):
    %y = arith.trunci %sum : i32 to i8
    linalg.yield %y : i8
  }
  %b = nn.matmul ins(%a, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi8>) {accumulator = i32, transpose_b}
    epilogue() at [] {
  ^bb0(%sum: i32):
    %y = arith.trunci %sum : i32 to i8
    linalg.yield %y : i8
  }
  %c = nn.matmul ins(%b, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi8>) {accumulator = i32, transpose_b}
    epilogue() at [] {
  ^bb0(%sum: i32):
    %y = arith.trunci %sum : i32 to i8
    linalg.yield %y : i8
  }
  func.return %c : tensor<1x64xi8>
}

// -----

// What the attribute says is not changed: the other product runs beside the one that the NPU has to do.

// CHECK-LABEL: func.func @hinted
// CHECK:         npu.matmul ins(
// CHECK-NOT:     npu.matmul ins(
// CHECK:         nn.matmul {{.*}}engine = "cluster"
func.func @hinted(%x: tensor<1x64xi8>) -> (tensor<1x64xi32>, tensor<1x64xi32>) {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %o = tensor.empty() : tensor<1x64xi32>
  %q = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  %k = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>)
    {accumulator = i32, transpose_b, engine = "cluster"}
  func.return %q, %k : tensor<1x64xi32>, tensor<1x64xi32>
}
