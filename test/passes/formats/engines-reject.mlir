// RUN: not opt-tool %s -t engines 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not opt-tool %s -p attach-machine{target=%S/../../machines/npu_cluster.toml} -t engines 2>&1 | filecheck %s

// NONE: the module has no machine

// CHECK: kernels on tiles have no reasons for their engines
// CHECK: found:    'hier.grid'
// CHECK: stop before plan-memory: --stop-after=map-engines
func.func @network(%a: memref<8x8xi8>, %b: memref<8xi32>) {
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 4, 0] [4, 8] in "L1" : memref<8x8xi8>)
      outs(%tb = %b[%i * 4] [4] in "L1" : memref<8xi32>) {
    nn.reduce ins(%ta : memref<4x8xi8, "L1">) outs(%tb : memref<4xi32, "L1">)
      {kind = "sum", axes = array<i64: 1>, accumulator = i32}
    hier.yield
  }
  func.return
}
