// RUN: opt-tool %s -p 'convert-kernels-to-loops' > %t && opt-tool %s -p 'convert-kernels-to-loops,fork-threads{threads=2 kernel-cycles=0 network-cycles=0}' | diff - %t

// Concurrent programs are threads already, and only one thread at a time may fork.

func.func private @add(%x: memref<20x16xi32>, %y: memref<20x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<20x16xi32>) outs(%y : memref<20x16xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  }
  func.return
}

func.func @network(%x: memref<20x16xi32>, %y: memref<20x16xi32>, %z: memref<20x16xi32>) {
  hier.concurrent {
    hier.program "first" {
      func.call @add(%x, %y) : (memref<20x16xi32>, memref<20x16xi32>) -> ()
    }
    hier.program "second" {
      func.call @add(%x, %z) : (memref<20x16xi32>, memref<20x16xi32>) -> ()
    }
  }
  func.return
}
