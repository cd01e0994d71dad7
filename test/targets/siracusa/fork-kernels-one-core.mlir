// RUN: opt-tool %s -p 'convert-kernels-to-dots{window-bytes=512},convert-kernels-to-loops{row-bytes=64},fork-kernels{cores=1}' | filecheck %s

// Nothing is forked on one core. Sums and products of blocks are compiled apart from their callers.

// CHECK-NOT:   hier.fork
// CHECK:       func.func private @sums{{.*}}tilewright.specifier = "TW_APART"
func.func private @sums(%x: memref<8x16xi32>, %y: memref<8xi32>) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x16xi32>) outs(%y : memref<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  }
  func.return
}

// CHECK:       func.func private @products{{.*}}tilewright.specifier = "TW_APART"
// CHECK:         cluster.dot
func.func private @products(%x: memref<8x16xi8>, %w: memref<8x16xi8>, %y: memref<8x8xi32>) attributes {engine = "cluster"} {
  nn.matmul ins(%x, %w : memref<8x16xi8>, memref<8x16xi8>) outs(%y : memref<8x8xi32>) {accumulator = i32, transpose_b}
  func.return
}

// Loops that store need the addresses, which say that buffers do not overlap; a function of no engine is no kernel.

// CHECK:       func.func private @doubled
// CHECK-NOT:   TW_APART
func.func private @doubled(%x: memref<64xi32>, %y: memref<64xi32>) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<64xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

// CHECK:       func.func private @other
func.func private @other(%x: memref<8x16xi32>, %y: memref<8xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x16xi32>) outs(%y : memref<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  }
  func.return
}
