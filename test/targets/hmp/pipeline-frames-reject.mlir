// RUN: opt-tool %s -p pipeline-frames --split-input-file --verify-diagnostics
// RUN: not opt-tool %S/map-layers.mlir -p 'pipeline-frames{frames=0}' 2>&1 | filecheck %s --check-prefix=FRAMES
// RUN: not opt-tool %S/map-layers.mlir -p 'pipeline-frames{mode=both}' 2>&1 | filecheck %s --check-prefix=MODE

// FRAMES: a pipeline of no frames or of negative depth
// MODE: there is no mode 'both'

func.func @network(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) {
  // expected-error@below {{'linalg.add' is no stage, of which a pipeline is made}}
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}
// -----
// expected-error@below {{the network has no stages}}
func.func @network(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) {
  func.return
}
