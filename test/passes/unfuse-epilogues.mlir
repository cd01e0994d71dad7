// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/../machines/systolic_core.toml},unfuse-epilogues | filecheck %s
// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/../machines/systolic_core.toml},unfuse-epilogues,plan-memory,verify-memory -o %t.mlir

// The link out of the accumulators scales by a constant; the bias is what the sums start from. What reads a residual
// comes after that.

// CHECK-LABEL: func.func @residual
// CHECK:         %[[HEAD:.*]] = memref.alloc() : memref<8x32xi8>
// CHECK-NEXT:    nn.matmul {{.*}}outs(%[[HEAD]] : memref<8x32xi8>) {{.*}}epilogue(%bias : memref<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: i32, %[[B:.*]]: i32):
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      arith.addi %[[SUM]], %[[B]]
// CHECK-NEXT:      quant.rescale
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic {{.*}}ins(%[[HEAD]], %r : memref<8x32xi8>, memref<8x32xi8>) outs(%c : memref<8x32xi8>) {{.*}}engine = "core"
// CHECK-NEXT:    ^bb0(%[[X:.*]]: i8, %[[R:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT:      arith.addi %[[X]], %[[R]]
func.func @residual(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %bias: memref<32xi32>, %r: memref<8x32xi8>, %c: memref<8x32xi8>) {
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>) {accumulator = i32, engine = "array"}
      epilogue(%bias, %r : memref<32xi32>, memref<8x32xi8>) at [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %n: i32, %o: i8):
    %f = arith.constant 0.01 : f32
    %s = arith.addi %sum, %n : i32
    %t = quant.rescale %s, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %u = arith.addi %t, %o : i8
    linalg.yield %u : i8
  }
  func.return
}

// -----

// A factor for each column: only the bias stays, and the sums leave as they are.

// CHECK-LABEL: func.func @factors
// CHECK:         %[[SUMS:.*]] = memref.alloc() : memref<8x32xi32>
// CHECK:         nn.matmul {{.*}}outs(%[[SUMS]] : memref<8x32xi32>) {{.*}}epilogue(%bias : memref<32xi32>)
// CHECK:         linalg.generic {{.*}}ins(%[[SUMS]], %m : memref<8x32xi32>, memref<32xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: i32, %[[M:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT:      quant.rescale %[[X]], %[[M]]
func.func @factors(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %bias: memref<32xi32>, %m: memref<32xf32>, %c: memref<8x32xi8>) {
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>) {accumulator = i32, engine = "array"}
      epilogue(%bias, %m : memref<32xi32>, memref<32xf32>) at [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%sum: i32, %n: i32, %f: f32):
    %s = arith.addi %sum, %n : i32
    %t = quant.rescale %s, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  func.return
}

// -----

// Nothing but a value that is used again can be cut at: the whole epilogue is the core's.

// CHECK-LABEL: func.func @twice
// CHECK:         %[[SUMS:.*]] = memref.alloc() : memref<8x32xi32>
// CHECK:         nn.matmul {{.*}}outs(%[[SUMS]] : memref<8x32xi32>) {accumulator = i32, engine = "array"}
// CHECK-NEXT:    linalg.generic {{.*}}ins(%[[SUMS]] : memref<8x32xi32>)
// CHECK:           arith.xori
func.func @twice(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %c: memref<8x32xi8>) {
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>) {accumulator = i32, engine = "array"}
      epilogue() at [] {
  ^bb0(%sum: i32):
    %n = arith.constant 3 : i32
    %s = arith.shrsi %sum, %n : i32
    %t = arith.xori %sum, %s : i32
    %u = arith.trunci %t : i32 to i8
    linalg.yield %u : i8
  }
  func.return
}
