// RUN: opt-tool %s --target gemmini --split-input-file --verify-diagnostics

func.func @rows(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 17 : index
  %c = arith.constant 16 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin %far, %near, %n, %c {id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @columns(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  %c = arith.constant 20 : index
  // expected-error @+1 {{a block has at most 16 columns, not 20}}
  gemmini.mvin %far, %near, %n, %c {id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @request(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{a row of a load has at most 64 bytes, not 96}}
  gemmini.mvin_blocks %far, %wide, %n {blocks = 3 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x32xi8, "SPAD">
  func.return
}

// -----

func.func @column(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin %far, %near[%z, %z, %e], %n, %n {id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @id(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{'id' must not be 3}}
  gemmini.mvin %far, %near, %n, %n {id = 3 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @block_stride(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{'block' must not be 65536}}
  gemmini.config_ld %far {stride = array<i64: 0, 1>, block = 65536 : i64, size = 1 : i64, id = 0 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @load_stride(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{rows of a load are at least 0 elements apart, not -64}}
  gemmini.config_ld %far {stride = array<i64: 0, -1>, block = 1 : i64, size = 1 : i64, id = 0 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @store_stride(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{rows of a store are 0 to 4294967295 bytes apart, not -64}}
  gemmini.config_st %far, %s {stride = array<i64: 0, -1>, size = 1 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @scale_zero(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 0.0 : f32
  // expected-error @+1 {{the scale of a store is positive and finite, not 0.0}}
  gemmini.config_st %far, %s {stride = array<i64: 0, 1>, size = 1 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @scale_negative(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant -1.0 : f32
  // expected-error @+1 {{the scale of a store is positive and finite, not -1.0}}
  gemmini.config_st %far, %s {stride = array<i64: 0, 1>, size = 1 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @scale_infinite(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 0x7F800000 : f32
  // expected-error @+1 {{the scale of a store is positive and finite, not inf}}
  gemmini.config_st %far, %s {stride = array<i64: 0, 1>, size = 1 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @window(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{'window' must not be 4}}
  gemmini.config_pool %far, %s {stride = array<i64: 0, 1>, window = 4 : i64, step = 1 : i64, line = 8 : i64, rows = 2 : i64, cols = 2 : i64, sum_rows = 8 : i64, sum_cols = 8 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @pool_step(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{'step' must not be 0}}
  gemmini.config_pool %far, %s {stride = array<i64: 0, 1>, window = 3 : i64, step = 0 : i64, line = 8 : i64, rows = 2 : i64, cols = 2 : i64, sum_rows = 8 : i64, sum_cols = 8 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @pixels(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{'line' must not be 256}}
  gemmini.config_pool %far, %s {stride = array<i64: 0, 1>, window = 3 : i64, step = 1 : i64, line = 256 : i64, rows = 2 : i64, cols = 2 : i64, sum_rows = 8 : i64, sum_cols = 8 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @step(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{'step' must not be 65536}}
  gemmini.config_ex {step = 65536 : i64}
  func.return
}

// -----

func.func @product(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{k is 1 to 16, not 17}}
  gemmini.compute_accumulated %near, %sums {rows = 4 : i64, k = 17 : i64, n = 16 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @weights(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{n is 1 to 16, not 0}}
  gemmini.preload %near {k = 16 : i64, n = 0 : i64} : memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @sums(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.compute_accumulated %floats, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @store(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{stores of f32 are of sums of f32, not i32}}
  gemmini.mvout %sums, %real, %n, %n : memref<4x64x16xi32, "ACC">, memref<64x64xf32>
  func.return
}

// -----

func.func @types(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{'far' and 'near' must hold one type: i8, f32}}
  gemmini.mvin %far, %floats, %n, %n {id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xf32, "SPAD">
  func.return
}

// -----

func.func @memories(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{are more than the accumulators have, 512 rows of 64}}
  gemmini.begin %spad, %acc {dim = 16 : i64, banks = 4 : i64, bank_rows = 1024 : i64, acc_rows = 512 : i64, size = 1 : i64} : memref<65536xi8, "SPAD">, memref<32832xi8, "ACC">
  func.return
}

// -----

func.func @dimension(%far: memref<64x64xi8>, %real: memref<64x64xf32>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">, %floats: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">, %spad: memref<65536xi8, "SPAD">, %acc: memref<32832xi8, "ACC">) {
  // expected-error @+1 {{'dim' must not be 5}}
  gemmini.begin %spad, %acc {dim = 5 : i64, banks = 4 : i64, bank_rows = 1024 : i64, acc_rows = 512 : i64, size = 1 : i64} : memref<65536xi8, "SPAD">, memref<32832xi8, "ACC">
  func.return
}
