// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=4}' > %t && opt-tool %s | diff - %t
// RUN: opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=0}' > %t && opt-tool %s | diff - %t
// RUN: not opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=-1}' 2>&1 | filecheck %s
// CHECK: a tile size is negative

// A loop with a reduction: its order stays.

func.func @sum(%m: memref<10xf32>, %n: index, %one: index, %zero: f32) -> f32 {
  %r = scf.parallel (%i) = (%one) to (%n) step (%one) init (%zero) -> (f32) {
    %v = memref.load %m[%i] : memref<10xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  func.return %r : f32
}
