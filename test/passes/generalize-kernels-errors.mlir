// RUN: opt-tool %s --split-input-file --verify-diagnostics -p generalize-kernels

func.func @dynamic(%x: tensor<?x8xi8>, %o: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error@+1 {{'nn.reduce'}}
  %r = nn.reduce ins(%x : tensor<?x8xi8>) outs(%o : tensor<?xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return %r : tensor<?xi32>
}

// -----

func.func @good(%x: tensor<4x8xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  %r = nn.reduce ins(%x : tensor<4x8xi8>) outs(%o : tensor<4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return %r : tensor<4xi32>
}
