// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{a buffer needs at least one stage, found 0}}
builtin.module attributes {test.x = #hier.buffer<"L1" stages 0>} {}

// -----

// expected-error@+1 {{expected the number of an output, found -1}}
builtin.module attributes {test.x = #hier.starts<-1>} {}

// -----

// expected-error@+1 {{expected different numbers after 'broadcast', found [1, 1]}}
builtin.module attributes {test.x = #hier.source<broadcast [1, 1]>} {}

// -----

// expected-error@+1 {{expected a number after 'fill', found "x"}}
builtin.module attributes {test.x = #hier.source<fill "x">} {}

// -----

// expected-error@+1 {{expected 2 offsets, one per axis of the tile}}
builtin.module attributes {test.x = #hier.tile<(d0) [d0] [8, 8]>} {}

// -----

// expected-error@+1 {{expected axes among the tile's 1, got [1]}}
builtin.module attributes {test.x = #hier.tile<(d0) [d0] [8] in "L1" broadcast [1]>} {}

// -----

// expected-error@+1 {{a tile in place has the operand's elements: no broadcast, neighbour or fill}}
builtin.module attributes {test.x = #hier.tile<(d0) [d0] [8] fill 0 : i8>} {}

// -----

// expected-error@+1 {{expected a dimension of the grid, found d1}}
builtin.module attributes {test.x = #hier.tile<(d0) [d1 + 1] [8]>} {}

// -----

// expected-error@+1 {{expected a table as the number of its operand, such as t2, found table}}
builtin.module attributes {test.x = #hier.tile<(d0) [table[d0] in [0, 4)] [8] in "L1">} {}

// -----

// expected-error@+1 {{expected one lookup, found 0}}
builtin.module attributes {test.x = #hier.lookup<(d0) d0 + 1>} {}

// -----

func.func @unknown(%a: memref<8xi8>, %c: memref<8xi8>) {
  hier.grid (%i) in [2] ins(%ta = %a[%table[%i] in [0, 4)] [4] in "L1" : memref<8xi8>)
      // expected-error@+1 {{the table %table is no input of the grid: list it, whole and in place}}
      outs(%tc = %c[%i * 4] [4] in "L1" : memref<8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @two(%a: memref<8xi8>, %c: memref<8xi8>) {
  // expected-error@+1 {{Expected ':'}}
  hier.grid (%i) in [2] ins(%ta = %a[%i * 4] [4] starts 0 in "L1" : memref<8xi8>)
      outs(%tc = %c[%i * 4] [4] in "L1" : memref<8xi8>) {
    hier.yield
  }
  func.return
}
