// RUN: opt-tool %s --split-input-file --verify-diagnostics -p convert-kernels-to-loops

func.func @tensors(%x: tensor<4x8xi8>, %o: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'nn.reduce' works on tensors; it needs buffers}}
  %r = nn.reduce ins(%x : tensor<4x8xi8>) outs(%o : tensor<4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return %r : tensor<4xi32>
}

// -----

func.func @dynamic(%x: memref<?x3xi8>, %y: memref<?x3xi8>) {
  // expected-error@+1 {{'linalg.copy' has an operand of dynamic shape}}
  linalg.copy ins(%x : memref<?x3xi8>) outs(%y : memref<?x3xi8>)
  func.return
}

// -----

func.func @dynamic_copy(%x: memref<?x3xi8>, %y: memref<?x3xi8, strided<[4, 1]>>) {
  // expected-error@+1 {{'memref.copy' has an operand of dynamic shape}}
  memref.copy %x, %y : memref<?x3xi8> to memref<?x3xi8, strided<[4, 1]>>
  func.return
}

// -----

func.func @good(%x: memref<4x8xi8>, %o: memref<4xi32>) {
  nn.reduce ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return
}
