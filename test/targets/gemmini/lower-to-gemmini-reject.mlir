// RUN: not opt-tool %s --target gemmini --split-input-file -p attach-machine{target=gemmini},lower-to-gemmini 2>&1 | filecheck %s

// CHECK: error: [lower-to-gemmini, pass 2 of 2] 'linalg.generic' is no product or start of sums that Gemmini's instructions compute
// CHECK: expected:   nn.matmul, nn.conv, nn.add or nn.reduce without an epilogue, or linalg.fill with 0
// CHECK: remedy:     map it to the core
func.func @network(%x: memref<16x16xi32, "ACC">, %y: memref<16x16xi32, "ACC">) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x16xi32, "ACC">) outs(%y : memref<16x16xi32, "ACC">) attrs = {engine = "array"} {
  ^bb0(%i: i32, %o: i32):
    linalg.yield %i : i32
  }
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a buffer of the array is not in rows
// CHECK: found:      memref<16x32xi8, "SPAD">
func.func @network(%far: memref<64x64xi8>, %near: memref<16x32xi8, "SPAD">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] to %near : memref<64x64xi8>, memref<16x32xi8, "SPAD">
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] the rows of a far buffer are not contiguous
// CHECK: remedy:     run permute-operands before plan-memory
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<64x64xi8, strided<[1, 64]>>, %near: memref<16x32xi8, #columns, "SPAD">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] to %near : memref<64x64xi8, strided<[1, 64]>>, memref<16x32xi8, #columns, "SPAD">
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] loads of Gemmini fill with 0 only
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<60x60xi8>, %near: memref<16x32xi8, #columns, "SPAD">, %i: index) {
  %t = hier.dma_start %far[%i, %i] to %near clipped fill 3 : i8 : memref<60x60xi8>, memref<16x32xi8, #columns, "SPAD">
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a transfer is no load or store of Gemmini
// CHECK: found:      a body on its way out: it is more than one 'quant.rescale'
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<64x64xi8>, %near: memref<16x32xi32, #columns, "ACC">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] from %near : memref<64x64xi8>, memref<16x32xi32, #columns, "ACC"> (%v: i32) {
    %w = arith.trunci %v : i32 to i8
    hier.yield %w : i8
  }
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a transfer is no load or store of Gemmini
// CHECK: found:      an element repeated along a row
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<1x1xi32>, %near: memref<16x32xi32, #columns, "ACC">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] to %near broadcast [0, 1] : memref<1x1xi32>, memref<16x32xi32, #columns, "ACC">
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a transfer is no load or store of Gemmini
// CHECK: found:      a body on its way out: its results are i32, no signed bytes
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<64x64xi32>, %near: memref<16x32xi32, #columns, "ACC">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] from %near : memref<64x64xi32>, memref<16x32xi32, #columns, "ACC"> (%v: i32) {
    %f = arith.constant 0.5 : f32
    %w = quant.rescale %v, %f zero 0 clip 0 to 127 : i32, f32 -> i32
    hier.yield %w : i32
  }
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a transfer is no load or store of Gemmini
// CHECK: found:      scales of other blocks than those of the tile
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<64x32xi8>, %near: memref<16x16xi32, #columns, "ACC">) {
  %z = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = hier.dma_start %far[%z, %c8] from %near : memref<64x32xi8>, memref<16x16xi32, #columns, "ACC"> (%v: i32, %row: index, %column: index) {
    %f = quant.entry %column {table = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<32xf32>} : f32
    %w = quant.rescale %v, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    hier.yield %w : i8
  }
  hier.dma_wait %t
  func.return
}

// -----

// CHECK: error: [lower-to-gemmini, pass 2 of 2] a transfer is no load or store of Gemmini
// CHECK: found:      a body on its way out: it scales another value than the sum
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<64x32xi8>, %near: memref<16x16xi32, #columns, "ACC">) {
  %z = arith.constant 0 : index
  %t = hier.dma_start %far[%z, %z] from %near : memref<64x32xi8>, memref<16x16xi32, #columns, "ACC"> (%v: i32) {
    %f = arith.constant 0.5 : f32
    %c = arith.constant 3 : i32
    %w = quant.rescale %c, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    hier.yield %w : i8
  }
  hier.dma_wait %t
  func.return
}
