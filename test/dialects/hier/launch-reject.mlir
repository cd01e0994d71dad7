// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @never_joined(%a: memref<8xi8>, %b: memref<8xi8>) {
  // expected-error@below {{expected one hier.join of the launch}}
  %job = hier.launch {
    memref.copy %a, %b : memref<8xi8> to memref<8xi8>
  }
  func.return
}

// -----

func.func @elsewhere(%a: memref<8xi8>, %b: memref<8xi8>, %c: i1) {
  // expected-error@below {{expected the join in the block of the launch}}
  %job = hier.launch {
    memref.copy %a, %b : memref<8xi8> to memref<8xi8>
  }
  scf.if %c {
    hier.join %job
  }
  func.return
}

// -----

func.func @two(%a: memref<8xi8>, %b: memref<8xi8>) {
  // expected-error@below {{expected one kernel on buffers in the launch, found 2 ops}}
  %job = hier.launch {
    memref.copy %a, %b : memref<8xi8> to memref<8xi8>
    memref.copy %b, %a : memref<8xi8> to memref<8xi8>
  }
  hier.join %job
  func.return
}

// -----

func.func @transfer(%a: memref<8xi8>, %b: memref<8xi8, "L1">, %i: index) {
  %t = hier.dma_start %a[%i] to %b : memref<8xi8>, memref<8xi8, "L1">
  // expected-error@below {{expected the token of a hier.launch}}
  hier.join %t
  func.return
}
