// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @moves(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{the tile of operand 0 moves along dimension 0, so that the neighbour there has another}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "NODE" from neighbour [0] : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "NODE" : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @temporal(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{the tile of operand 0 comes from a neighbour along spatial dimensions; found [1] of [0]}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[0, 0] [2, 4] in "NODE" from neighbour [1] : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "NODE" : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @twice(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{expected different numbers after 'from neighbour', found [0, 0]}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[0, 0] [2, 4] in "NODE" from neighbour [0, 0] : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "NODE" : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @in_place(%a: memref<2x4xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{a tile in place has the operand's elements: no broadcast, neighbour or fill}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[0, 0] [2, 4] from neighbour [0] : memref<2x4xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "NODE" : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @output(%c: memref<8x8xi8>) {
  // expected-error@+1 {{the tile of operand 0 comes from a neighbour: it must be an input that is brought to a level}}
  hier.grid (%i) in [4] spatial [0]
      outs(%tc = %c[%i * 2, 0] [2, 8] in "NODE" from neighbour [0] : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @front_without_pop(%c: memref<8xi8, "L1">) {
  %s = hier.stream depth 2 : !hier.stream<memref<8xi8, "L1">>
  hier.concurrent {
    hier.program "a" {
      %t = hier.reserve %s : !hier.stream<memref<8xi8, "L1">>
      // expected-error@+1 {{expected}}
      hier.push %s after : !hier.stream<memref<8xi8, "L1">>
    }
  }
  func.return
}
