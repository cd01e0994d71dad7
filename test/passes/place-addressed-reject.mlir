// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/external.toml},place-addressed' 2>&1 | filecheck %s
// RUN: not opt-tool %s -p place-addressed 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not opt-tool %s -p 'attach-machine{target=%S/external_near.toml}' 2>&1 | filecheck %s --check-prefix=NEAR

// CHECK:      error: [place-addressed, pass 2 of 2] the network does not fit L2: 75,712 bytes short
// CHECK-NEXT: expected:   524,288 bytes in all
// CHECK-NEXT: found:      600,000 bytes for x (600,000 bytes)
// NONE:       the module has no machine
// NEAR:       levels.L1.external: expected the farthest of several levels
// NEAR:       engines.cluster.level: expected a level that programs address, found "L1"
func.func @network(%x: memref<600000xi8>) {
  func.return
}
