// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @never_joined(%a: memref<8xi8>, %b: memref<8xi8>) {
  // expected-error@below {{a launch is joined once}}
  %job = hier.launch {
    memref.copy %a, %b : memref<8xi8> to memref<8xi8>
  }
  func.return
}

// -----

func.func @elsewhere(%a: memref<8xi8>, %b: memref<8xi8>, %c: i1) {
  // expected-error@below {{a launch is joined in the block where it stands}}
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
  // expected-error@below {{a launch holds one kernel on buffers, not 2 ops}}
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
  // expected-error@below {{only a launch can be joined}}
  hier.join %t
  func.return
}
