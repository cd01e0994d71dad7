// RUN: opt-tool %s -p attach-machine{target=siracusa},lower-to-npu --split-input-file --verify-diagnostics

func.func @far_input(%x: memref<5x32xi8>, %w: memref<2x32xi8, "WMEM">, %o: memref<5x2xi32, "L1">) {
  // expected-error@+1 {{the NPU does not reach an operand of 'npu.matmul'}}
  npu.matmul ins(%x, %w : memref<5x32xi8>, memref<2x32xi8, "WMEM">) outs(%o : memref<5x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @input_in_weight_memory(%x: memref<5x32xi8, "WMEM">, %w: memref<2x32xi8, "WMEM">, %o: memref<5x2xi32, "L1">) {
  // expected-error@+1 {{the NPU does not reach an operand of 'npu.matmul'}}
  npu.matmul ins(%x, %w : memref<5x32xi8, "WMEM">, memref<2x32xi8, "WMEM">) outs(%o : memref<5x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @far_weights(%x: memref<5x32xi8, "L1">, %w: memref<2x32xi8, "L2">, %o: memref<5x2xi32, "L1">) {
  // expected-error@+1 {{the NPU does not reach an operand of 'npu.matmul'}}
  npu.matmul ins(%x, %w : memref<5x32xi8, "L1">, memref<2x32xi8, "L2">) outs(%o : memref<5x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @far_output(%x: memref<5x32xi8, "L1">, %w: memref<2x32xi8, "WMEM">, %o: memref<5x2xi32, "L2">) {
  // expected-error@+1 {{the NPU does not reach an operand of 'npu.matmul'}}
  npu.matmul ins(%x, %w : memref<5x32xi8, "L1">, memref<2x32xi8, "WMEM">) outs(%o : memref<5x2xi32, "L2">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @channels_apart(%x: memref<5x32xi8, strided<[64, 2]>, "L1">, %w: memref<2x32xi8, "WMEM">, %o: memref<5x2xi32, "L1">) {
  // expected-error@+1 {{the NPU takes contiguous channels}}
  npu.matmul ins(%x, %w : memref<5x32xi8, strided<[64, 2]>, "L1">, memref<2x32xi8, "WMEM">) outs(%o : memref<5x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @weights_apart(%x: memref<5x32xi8, "L1">, %w: memref<2x32xi8, strided<[64, 1]>, "L1">, %o: memref<5x2xi32, "L1">) {
  // expected-error@+1 {{the NPU takes contiguous packed weights}}
  npu.matmul ins(%x, %w : memref<5x32xi8, "L1">, memref<2x32xi8, strided<[64, 1]>, "L1">) outs(%o : memref<5x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @tensors(%x: tensor<5x32xi8>, %w: tensor<2x32xi8>, %o: tensor<5x2xi32>) -> tensor<5x2xi32> {
  // expected-error@+1 {{'npu.matmul' is on tensors}}
  %y = npu.matmul ins(%x, %w : tensor<5x32xi8>, tensor<2x32xi8>) outs(%o : tensor<5x2xi32>) {bits = 8 : i64, offset = -128 : i64}
  func.return %y : tensor<5x2xi32>
}
