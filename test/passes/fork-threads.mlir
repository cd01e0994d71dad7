// RUN: opt-tool %s -p 'convert-kernels-to-loops,fork-threads{threads=3 kernel-cycles=100 network-cycles=100}' | filecheck %s

// The rows of the larger kernel are partitioned: chunks of 7, the last one shorter. The smaller one stays.

// CHECK-LABEL: func.func private @add_core
// CHECK-SAME:    %core: index
// CHECK:         %[[BEGIN:.*]] = arith.muli %core, %c7
// CHECK:         scf.for %i0 = %first to %last step
// CHECK-LABEL: func.func private @add
// CHECK:         hier.fork @add_core(%x, %y) {cores = 3 : i64, claimed}
// CHECK-NEXT:    func.return
func.func private @add(%x: memref<20x16xi32>, %y: memref<20x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<20x16xi32>) outs(%y : memref<20x16xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

// CHECK-LABEL: func.func private @small
// CHECK-NOT:     hier.fork
func.func private @small(%x: memref<20xi32>, %y: memref<20xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<20xi32>) outs(%y : memref<20xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  }
  func.return
}

// One sum is never split: its result would depend on the number of threads.

// CHECK-LABEL: func.func private @sum
// CHECK-NOT:     hier.fork
func.func private @sum(%x: memref<640xf32>, %y: memref<1xf32>) {
  nn.reduce ins(%x : memref<640xf32>) outs(%y : memref<1xf32>) {kind = "sum", axes = array<i64: 0>, accumulator = f32, keep_dims}
  func.return
}

// CHECK-LABEL: func.func @network
func.func @network(%x: memref<20x16xi32>, %y: memref<20x16xi32>, %u: memref<20xi32>, %v: memref<20xi32>, %s: memref<640xf32>, %t: memref<1xf32>) {
  func.call @add(%x, %y) : (memref<20x16xi32>, memref<20x16xi32>) -> ()
  func.call @small(%u, %v) : (memref<20xi32>, memref<20xi32>) -> ()
  func.call @sum(%s, %t) : (memref<640xf32>, memref<1xf32>) -> ()
  func.return
}
