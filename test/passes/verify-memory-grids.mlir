// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// Two buffers share bytes 24 to 31.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{the buffers of operand 0 (%a) and operand 1 (%c) of the grid overlap in L1 (rule 'disjoint')}}
    hier.grid (%i0) in [2]
        ins(%s = %a[%i0 * 4, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 4, 0] [4, 8] in "L1" address 24 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}

// -----

// Tiles three rows apart: the last row is in none.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{an element of operand 1 (%c) of the grid is in no tile (rule 'written-once')}}
    hier.grid (%i0) in [2]
        ins(%s = %a[%i0 * 4, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 3, 0] [4, 8] in "L1" address 32 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}

// -----

// Tiles of four rows, three apart.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{an element of operand 1 (%c) of the grid is in two tiles (rule 'written-once')}}
    hier.grid (%i0) in [3]
        ins(%s = %a[%i0 * 3, 0] [4, 8] in "L1" address 0 fill 0 : i8 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 3, 0] [4, 8] in "L1" address 32 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}

// -----

// The outer dimension comes back to each tile.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{a tile of operand 1 (%c) of the grid is left and taken up again (rule 'written-once')}}
    hier.grid (%i0, %i1) in [2, 2]
        ins(%s = %a[%i1 * 4, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i1 * 4, 0] [4, 8] in "L1" address 32 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}

// -----

// The second tile of the input ends a row below it.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{operand 0 (%a) of the grid is read outside of its bounds (rule 'fill')}}
    hier.grid (%i0) in [2]
        ins(%s = %a[%i0 * 5, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 4, 0] [4, 8] in "L1" address 32 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}

// -----

// An output that the body does not write.
builtin.module {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{the body does not write operand 1 (%c) of the grid (rule 'complete')}}
    hier.grid (%i0) in [2]
        ins(%s = %a[%i0 * 4, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 4, 0] [4, 8] in "L1" address 32 : memref<8x8xi8>) {
      %k = arith.constant 0 : index
      hier.yield
    }
    func.return
  }
}

// -----

// A level of 64 bytes for buffers of 96.
builtin.module attributes {hier.machine = {name = "small", levels = {L2 = {size = 65536 : i64}, L1 = {size = 64 : i64}}, links = {dma = {far = "L2", near = "L1", width = 8 : i64}}, engines = {core = {level = {ins = ["L1"]}, runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}}}}} {
  func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
    // expected-error@+1 {{the buffer of operand 1 (%c) of the grid leaves L1 (rule 'level')}}
    hier.grid (%i0) in [2]
        ins(%s = %a[%i0 * 4, 0] [4, 8] in "L1" address 0 : memref<8x8xi8>)
        outs(%t = %c[%i0 * 4, 0] [4, 8] in "L1" address 32 stages 2 : memref<8x8xi8>) {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<4x8xi8, "L1">) outs(%t : memref<4x8xi8, "L1">) {
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
      hier.yield
    }
    func.return
  }
}
