// RUN: opt-tool %s -p 'convert-kernels-to-loops' > %t && opt-tool %s -p 'convert-kernels-to-loops,fork-threads{threads=1 kernel-cycles=0 network-cycles=0}' | diff - %t
// RUN: opt-tool %s -p 'convert-kernels-to-loops' > %t && opt-tool %s -p 'convert-kernels-to-loops,fork-threads{threads=2 kernel-cycles=0 network-cycles=1000000}' | diff - %t
// RUN: opt-tool %s -p 'convert-kernels-to-loops' > %t && opt-tool %s -p 'convert-kernels-to-loops,fork-threads{threads=2}' | diff - %t

// One thread, or a network whose kernels are not worth waking threads for.

func.func private @add(%x: memref<20x16xi32>, %y: memref<20x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<20x16xi32>) outs(%y : memref<20x16xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

func.func @network(%x: memref<20x16xi32>, %y: memref<20x16xi32>) {
  func.call @add(%x, %y) : (memref<20x16xi32>, memref<20x16xi32>) -> ()
  func.return
}
