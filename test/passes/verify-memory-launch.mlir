// RUN: opt-tool %s --split-input-file -p verify-memory{plain=false} --verify-diagnostics

// Kernels of one engine are done in order, so that the second may read what the first writes.
func.func @in_order(%a: memref<8xi8>, %b: memref<8xi8>, %c: memref<8xi8>) {
  %one = hier.launch {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xi8>) outs(%b : memref<8xi8>) attrs = {engine = "npu"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  %two = hier.launch {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%b : memref<8xi8>) outs(%c : memref<8xi8>) attrs = {engine = "npu"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  hier.join %two
  memref.copy %b, %a : memref<8xi8> to memref<8xi8>
  hier.join %one
  func.return
}

// -----

func.func @too_early(%a: memref<8xi8>, %b: memref<8xi8>, %c: memref<8xi8>) {
  %one = hier.launch {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xi8>) outs(%b : memref<8xi8>) attrs = {engine = "npu"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  // expected-error@below {{'memref.copy' reads operand 0 (%b), which a kernel still writes (rule 'race')}}
  memref.copy %b, %c : memref<8xi8> to memref<8xi8>
  hier.join %one
  func.return
}

// -----

func.func @still_read(%a: memref<8xi8>, %b: memref<8xi8>, %c: memref<8xi8>) {
  %one = hier.launch {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xi8>) outs(%b : memref<8xi8>) attrs = {engine = "npu"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  // expected-error@below {{'memref.copy' writes operand 1 (%a), which a kernel still reads (rule 'race')}}
  memref.copy %c, %a : memref<8xi8> to memref<8xi8>
  hier.join %one
  func.return
}

// -----

func.func @other_engine(%a: memref<8xi8>, %b: memref<8xi8>, %c: memref<8xi8>) {
  %one = hier.launch {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xi8>) outs(%b : memref<8xi8>) attrs = {engine = "npu"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  %two = hier.launch {
    // expected-error@below {{'linalg.generic' reads operand 0 (%b), which a kernel still writes (rule 'race')}}
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%b : memref<8xi8>) outs(%c : memref<8xi8>) attrs = {engine = "dsp"} {
    ^bb0(%i: i8, %o: i8):
      linalg.yield %i : i8
    }
  }
  hier.join %one
  hier.join %two
  func.return
}
