// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the transfer holds i32 on one side and i8 on the other: give it a body}}
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC">
  func.return
}

// -----

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the body of the transfer must end with hier.yield of an element of type i8}}
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC"> (%v: i32) {
    hier.yield %v : i32
  }
  func.return
}

// -----

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the body of the transfer must take one element of type i32}}
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC"> (%v: i8) {
    hier.yield %v : i8
  }
  func.return
}

// -----

func.func @f(%c: memref<4x4xi32>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the transfer broadcasts axis 0 of extent 4, expected extent 1}}
  %t = hier.dma_start %c[%i, %i] to %acc broadcast [0] : memref<4x4xi32>, memref<4x4xi32, "ACC">
  func.return
}

// -----

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index, %s: i32) {
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC"> (%v: i32) {
    // expected-error@+1 {{operand 1 of 'arith.muli' is defined outside of 'hier.dma_start', which is isolated}}
    %m = arith.muli %v, %s : i32
    %w = arith.trunci %m : i32 to i8
    hier.yield %w : i8
  }
  func.return
}

// -----

func.func @f(%a: memref<4x4xi8>, %c: memref<4x4xi8>) {
  // expected-error@+1 {{the tile of operand 1 holds i32 on one side and i8 on the other: give it a body}}
  hier.grid ins(%ta = %a in "SPAD" : memref<4x4xi8>) outs(%tc = %c in "ACC" as i32 : memref<4x4xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @f(%a: memref<4x4xi8>, %c: memref<4x4xi8>) {
  // expected-error@+1 {{puts two elements of the shape [4, 4] in one place}}
  hier.grid ins(%ta = %a in "SPAD" layout affine_map<(d0, d1) -> (d0, d1 mod 2)> : memref<4x4xi8>)
      outs(%tc = %c in "SPAD" : memref<4x4xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @f(%b: memref<1x4xi8>, %c: memref<8x4xi8>) {
  // expected-error@+1 {{operand 0, which starts output 0, must have tiles of [4, 4], in a level}}
  hier.grid (%i) in [2] ins(%tb = %b[0, 0] [2, 4] starts 0 broadcast [0] : memref<1x4xi8>)
      outs(%tc = %c[%i * 4, 0] [4, 4] in "ACC" : memref<8x4xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @f(%b: memref<8x4xi8>, %c: memref<8x4xi8>) {
  // expected-error@+1 {{operand 0, which starts output 0, must not move while the output's tile stays}}
  hier.grid (%i, %k) in [2, 2] ins(%tb = %b[%k * 4, 0] [4, 4] starts 0 : memref<8x4xi8>)
      outs(%tc = %c[%i * 4, 0] [4, 4] in "ACC" : memref<8x4xi8>) {
    hier.yield
  }
  func.return
}

// -----

func.func @f(%a: memref<4x4xi8>, %c: memref<4x4xi8>, %s: i8) {
  // expected-error@+1 {{the body of the tile of operand 1 must not use values from outside, 'arith.muli' does}}
  hier.grid ins(%ta = %a in "SPAD" : memref<4x4xi8>) outs(%tc = %c in "ACC" : memref<4x4xi8> (%v: i8) {
    %m = arith.muli %v, %s : i8
    hier.yield %m : i8
  }) {
    hier.yield
  }
  func.return
}

// -----

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the body of the transfer must take one element of type i32, and may take its 2 indices}}
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC"> (%v: i32, %channel: index) {
    %w = arith.trunci %v : i32 to i8
    hier.yield %w : i8
  }
  func.return
}

// -----

func.func @f(%c: memref<4x4xi8>, %acc: memref<4x4xi32, "ACC">, %i: index) {
  // expected-error@+1 {{the body of the transfer looks up an index of an axis of 4 elements among 2 entries}}
  %t = hier.dma_start %c[%i, %i] from %acc : memref<4x4xi8>, memref<4x4xi32, "ACC"> (%v: i32, %row: index, %channel: index) {
    %f = quant.entry %channel {table = dense<[0.5, 0.25]> : tensor<2xf32>} : f32
    %w = quant.rescale %v, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    hier.yield %w : i8
  }
  func.return
}
