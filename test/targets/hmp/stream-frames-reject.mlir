// RUN: not opt-tool %s -p stream-frames 2>&1 | filecheck %s

// CHECK: the program 'half' is no loop over frames
// CHECK: expected:   one scf.for, as pipeline-frames makes it
func.func @network(%x: memref<4xf32>) {
  %s = hier.stream depth 2 : !hier.stream<memref<4xf32>>
  hier.concurrent {
    hier.program "half" {
      %slot = hier.reserve %s : !hier.stream<memref<4xf32>>
      memref.copy %x, %slot : memref<4xf32> to memref<4xf32>
      hier.push %s : !hier.stream<memref<4xf32>>
    }
    hier.program "other" {
      %slot = hier.pop %s : !hier.stream<memref<4xf32>>
      hier.release %s : !hier.stream<memref<4xf32>>
    }
  }
  func.return
}
