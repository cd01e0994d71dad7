// RUN: opt-tool %s -p expand-grid --split-input-file --verify-diagnostics

func.func @tile_without_address(%a: memref<8xi8>, %c: memref<8xi8>) {
  // expected-error@+1 {{the tile of operand 0 has no address}}
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 4] [4] in "L1" : memref<8xi8>)
      outs(%tc = %c[%i * 4] [4] in "L1" address 8 : memref<8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @scratch_without_address(%c: memref<8xi8>) {
  // expected-error@+1 {{scratch 0 has no address}}
  hier.grid (%i) in [2]
      outs(%tc = %c[%i * 4] [4] in "L1" address 8 : memref<8xi8>)
      scratch(%s : memref<4xi8, "L1">) {
    hier.yield
  }
  func.return
}

// -----

func.func @view_hangs_over(%c: memref<7xi8>) {
  // expected-error@+1 {{the tile of operand 0 extends beyond the operand, which is used in place}}
  hier.grid (%i) in [2]
      outs(%tc = %c[%i * 4] [4] : memref<7xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @resident_nowhere() {
  // expected-error@+1 {{an allocation with 'hier.address' has no memory level}}
  %kept = memref.alloc() {hier.address = 16 : i64} : memref<8xi8>
  func.return
}
