// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/systolic.toml},expand-grid,verify-levels' 2>&1 | filecheck %s

// CHECK: a buffer in SPAD has rows of 8 bytes
// CHECK: whole rows of 16 bytes

func.func @network(%x: memref<16x16xi8>, %y: memref<16x16xi8>) {
  hier.grid ins(%t = %x in "SPAD" layout affine_map<(d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)> address 0 : memref<16x16xi8>) outs(%u = %y : memref<16x16xi8>) {
    memref.copy %t, %u : memref<16x16xi8, affine_map<(d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>, "SPAD"> to memref<16x16xi8>
    hier.yield
  }
  func.return
}
