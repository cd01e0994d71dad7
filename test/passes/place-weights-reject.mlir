// RUN: not opt-tool %s -p place-weights 2>&1 | filecheck %s
// RUN: not opt-tool %s -p 'attach-machine{target=%S/linked_rom.toml}' 2>&1 | filecheck %s --check-prefix=LINK

// CHECK: error: [place-weights, pass 1 of 1] the module has no machine
// LINK:  expected none that leads to the preloaded level "ROM", found one
func.func @network(%x: memref<4x8xi8>) {
  func.return
}
