// Limits of each command that others have too.
// RUN: opt-tool %s --target gemmini --split-input-file --verify-diagnostics

func.func @mvin_blocks_rows(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_blocks %far, %near, %m {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_blocks_column(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_blocks %far, %near[%z, %z, %e], %n {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_rows(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_columns %far, %near[%z, %z, %z], %near[%o, %z, %z], %m {blocks = 1 : i64, cols = 8 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_columns(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{a block has at most 16 columns, not 17}}
  gemmini.mvin_columns %far, %near[%z, %z, %z], %near[%o, %z, %z], %n {blocks = 1 : i64, cols = 17 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_request(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">, %wide: memref<4x64x32xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{a row of a load has at most 64 bytes, not 72}}
  gemmini.mvin_columns %far, %wide[%z, %z, %z], %wide[%o, %z, %z], %n {blocks = 2 : i64, cols = 8 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x32xi8, "SPAD">, memref<4x64x32xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_column(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_columns %far, %near[%z, %z, %e], %near[%o, %z, %z], %n {blocks = 1 : i64, cols = 8 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_column_of_the_last(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'last' begins at column 8}}
  gemmini.mvin_columns %far, %near[%z, %z, %z], %near[%o, %z, %e], %n {blocks = 1 : i64, cols = 8 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_columns_last(%far: memref<64x64xi8>, %near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'last' is block 2 behind 'near', not 1}}
  gemmini.mvin_columns %far, %near[%z, %z, %z], %near[%o, %z, %z], %n {blocks = 2 : i64, cols = 8 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_zero_rows(%near: memref<4x64x16xi8, "SPAD">) {
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_zero %near, %m : memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_zero_column(%near: memref<4x64x16xi8, "SPAD">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_zero %near[%z, %z, %e], %n : memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @mvin_acc_rows(%far: memref<64x64xi32>, %near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_acc %far, %near, %m, %n {id = 0 : i64} : memref<64x64xi32>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_acc_columns(%far: memref<64x64xi32>, %near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a block has at most 16 columns, not 17}}
  gemmini.mvin_acc %far, %near, %n, %m {id = 0 : i64} : memref<64x64xi32>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_acc_column(%far: memref<64x64xi32>, %near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_acc %far, %near[%z, %z, %e], %n, %n {id = 0 : i64} : memref<64x64xi32>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_acc_zero_rows(%near: memref<4x64x16xi32, "ACC">) {
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_acc_zero %near, %m : memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_acc_zero_column(%near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_acc_zero %near[%z, %z, %e], %n : memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_rows(%far: memref<64x64xi8>, %near: memref<4x64x16xi32, "ACC">) {
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_bytes %far, %near, %m {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_column(%far: memref<64x64xi8>, %near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_bytes %far, %near[%z, %z, %e], %n {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_request(%far: memref<64x64xi8>, %near: memref<4x64x32xi32, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{a row of a load has at most 64 bytes, not 96}}
  gemmini.mvin_bytes %far, %near, %n {blocks = 3 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x32xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_add_rows(%far: memref<64x64xi8>, %near: memref<4x64x16xi32, "ACC">) {
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvin_bytes_add %far, %near, %m {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_add_column(%far: memref<64x64xi8>, %near: memref<4x64x16xi32, "ACC">) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvin_bytes_add %far, %near[%z, %z, %e], %n {blocks = 2 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @mvin_bytes_add_request(%far: memref<64x64xi8>, %near: memref<4x64x32xi32, "ACC">) {
  %n = arith.constant 4 : index
  // expected-error @+1 {{a row of a load has at most 64 bytes, not 96}}
  gemmini.mvin_bytes_add %far, %near, %n {blocks = 3 : i64, id = 0 : i64} : memref<64x64xi8>, memref<4x64x32xi32, "ACC">
  func.return
}

// -----

func.func @config_ld_bytes_stride(%far: memref<64x64xi8>) {
  // expected-error @+1 {{rows of a load are at least 0 elements apart, not -64}}
  gemmini.config_ld_bytes %far {stride = array<i64: 0, -1>, block = 1 : i64, id = 0 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @mvout_rows(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi8>) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvout %near, %far, %m, %n : memref<4x64x16xi32, "ACC">, memref<64x64xi8>
  func.return
}

// -----

func.func @mvout_columns(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi8>) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a block has at most 16 columns, not 17}}
  gemmini.mvout %near, %far, %n, %m : memref<4x64x16xi32, "ACC">, memref<64x64xi8>
  func.return
}

// -----

func.func @mvout_column(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi8>) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvout %near[%z, %z, %e], %far, %n, %n : memref<4x64x16xi32, "ACC">, memref<64x64xi8>
  func.return
}

// -----

func.func @mvout_full_rows(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi32>) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a command moves at most 16 rows, not 17}}
  gemmini.mvout_full %near, %far, %m, %n : memref<4x64x16xi32, "ACC">, memref<64x64xi32>
  func.return
}

// -----

func.func @mvout_full_columns(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi32>) {
  %n = arith.constant 4 : index
  %m = arith.constant 17 : index
  // expected-error @+1 {{a block has at most 16 columns, not 17}}
  gemmini.mvout_full %near, %far, %n, %m : memref<4x64x16xi32, "ACC">, memref<64x64xi32>
  func.return
}

// -----

func.func @mvout_full_column(%near: memref<4x64x16xi32, "ACC">, %far: memref<64x64xi32>) {
  %n = arith.constant 4 : index
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvout_full %near[%z, %z, %e], %far, %n, %n : memref<4x64x16xi32, "ACC">, memref<64x64xi32>
  func.return
}

// -----

func.func @config_pool_scale(%far: memref<64x64xi8>) {
  %s = arith.constant 0.0 : f32
  // expected-error @+1 {{the scale of a store is positive and finite, not 0.0}}
  gemmini.config_pool %far, %s {stride = array<i64: 0, 1>, window = 3 : i64, step = 1 : i64, line = 8 : i64, rows = 2 : i64, cols = 2 : i64, sum_rows = 8 : i64, sum_cols = 8 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @config_pool_stride(%far: memref<64x64xi8>) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{rows of a store are 0 to 4294967295 bytes apart, not -64}}
  gemmini.config_pool %far, %s {stride = array<i64: 0, -1>, window = 3 : i64, step = 1 : i64, line = 8 : i64, rows = 2 : i64, cols = 2 : i64, sum_rows = 8 : i64, sum_cols = 8 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @mvout_pool_column(%near: memref<4x64x16xi32, "ACC">, %far: memref<8x8x16xi8>) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'near' begins at column 8}}
  gemmini.mvout_pool %near[%z, %z, %e], %far {rows = 2 : i64, cols = 2 : i64, window = 3 : i64} : memref<4x64x16xi32, "ACC">, memref<8x8x16xi8>
  func.return
}

// -----

func.func @config_lines_rows(%far: memref<8x8x16xi8>) {
  %s = arith.constant 1.0 : f32
  %n = arith.constant 256 : index
  // expected-error @+1 {{a store of lines has 1 to 255 lines of 1 to 255 rows, not 256 of 256}}
  gemmini.config_lines %far, %s, %n, %n {stride = array<i64: 1, 1>, line = 8 : i64, pitch = 8 : i64} : memref<8x8x16xi8>
  func.return
}

// -----

func.func @config_lines_scale(%far: memref<8x8x16xi8>) {
  %s = arith.constant 0.0 : f32
  %n = arith.constant 4 : index
  // expected-error @+1 {{the scale of a store is positive and finite, not 0.0}}
  gemmini.config_lines %far, %s, %n, %n {stride = array<i64: 1, 1>, line = 8 : i64, pitch = 8 : i64} : memref<8x8x16xi8>
  func.return
}

// -----

func.func @config_lines_stride(%far: memref<8x8x16xi8>) {
  %s = arith.constant 1.0 : f32
  %n = arith.constant 4 : index
  // expected-error @+1 {{rows of a store are 0 to 4294967295 bytes apart, not -16}}
  gemmini.config_lines %far, %s, %n, %n {stride = array<i64: 1, -1>, line = 8 : i64, pitch = 8 : i64} : memref<8x8x16xi8>
  func.return
}

// -----

func.func @config_lines_pitch(%far: memref<8x8x16xi8>) {
  %s = arith.constant 1.0 : f32
  %n = arith.constant 4 : index
  // expected-error @+1 {{the 4 rows of a line are more than the 3 from line to line}}
  gemmini.config_lines %far, %s, %n, %n {stride = array<i64: 1, 1>, line = 8 : i64, pitch = 3 : i64} : memref<8x8x16xi8>
  func.return
}

// -----

func.func @mvout_lines_rows(%near: memref<4x8x8x16xi32, "ACC">, %far: memref<8x8x16xi8>) {
  %z = arith.constant 0 : index
  %n = arith.constant 4 : index
  // expected-error @+1 {{a store of lines has 1 to 255 lines of 1 to 255 rows, not 0 of 4}}
  gemmini.mvout_lines %near[%z, %z, %z, %z], %far, %z, %n, %n : memref<4x8x8x16xi32, "ACC">, memref<8x8x16xi8>
  func.return
}

// -----

func.func @mvout_lines_channels(%near: memref<4x8x8x16xi32, "ACC">, %far: memref<8x8x64xi8>) {
  %z = arith.constant 0 : index
  %n = arith.constant 4 : index
  %c = arith.constant 17 : index
  // expected-error @+1 {{a block has at most 16 columns, not 17}}
  gemmini.mvout_lines %near[%z, %z, %z, %z], %far, %n, %n, %c : memref<4x8x8x16xi32, "ACC">, memref<8x8x64xi8>
  func.return
}

// -----

func.func @mvout_lines_column(%near: memref<4x8x8x16xi32, "ACC">, %far: memref<8x8x16xi8>) {
  %z = arith.constant 0 : index
  %n = arith.constant 4 : index
  // expected-error @+1 {{'near' begins at column 4}}
  gemmini.mvout_lines %near[%z, %z, %z, %n], %far, %n, %n, %n : memref<4x8x8x16xi32, "ACC">, memref<8x8x16xi8>
  func.return
}

// -----

func.func @preload_column(%near: memref<4x64x16xi8, "SPAD">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'b' begins at column 8}}
  gemmini.preload %near[%z, %z, %e] {k = 4 : i64, n = 4 : i64} : memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @compute_preloaded_product(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{k is 1 to 16, not 17}}
  gemmini.compute_preloaded %near, %sums {rows = 4 : i64, k = 17 : i64, n = 16 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_sums(%near: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.compute_preloaded %near, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_factor(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.compute_preloaded %near[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_result(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.compute_preloaded %near, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_add_product(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{k is 1 to 16, not 17}}
  gemmini.compute_preloaded_add %near, %sums {rows = 4 : i64, k = 17 : i64, n = 16 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_add_sums(%near: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.compute_preloaded_add %near, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_add_factor(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.compute_preloaded_add %near[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_preloaded_add_result(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.compute_preloaded_add %near, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_factor(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.compute_accumulated %near[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_result(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.compute_accumulated %near, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_add_product(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{k is 1 to 16, not 17}}
  gemmini.compute_accumulated_add %near, %sums {rows = 4 : i64, k = 17 : i64, n = 16 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_add_sums(%near: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.compute_accumulated_add %near, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_add_factor(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.compute_accumulated_add %near[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @compute_accumulated_add_result(%near: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.compute_accumulated_add %near, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_keep_product(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">) {
  // expected-error @+1 {{rows is 1 to 16, not 17}}
  gemmini.multiply_keep %near, %w {rows = 17 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @multiply_keep_factor(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.multiply_keep %near[%z, %z, %e], %w {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @multiply_keep_weights(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'b' begins at column 8}}
  gemmini.multiply_keep %near, %w[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">
  func.return
}

// -----

func.func @multiply_product(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{rows is 1 to 16, not 17}}
  gemmini.multiply %near, %w, %sums {rows = 17 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_factor(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.multiply %near[%z, %z, %e], %w, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_weights(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'b' begins at column 8}}
  gemmini.multiply %near, %w[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_result(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.multiply %near, %w, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_sums(%near: memref<4x64x16xf32, "SPAD">, %w: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.multiply %near, %w, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_add_product(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{rows is 1 to 16, not 17}}
  gemmini.multiply_add %near, %w, %sums {rows = 17 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_add_factor(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'a' begins at column 8}}
  gemmini.multiply_add %near[%z, %z, %e], %w, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_add_weights(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'b' begins at column 8}}
  gemmini.multiply_add %near, %w[%z, %z, %e], %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_add_result(%near: memref<4x64x16xi8, "SPAD">, %w: memref<4x64x16xi8, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  %z = arith.constant 0 : index
  %e = arith.constant 8 : index
  // expected-error @+1 {{'c' begins at column 8}}
  gemmini.multiply_add %near, %w, %sums[%z, %z, %e] {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xi8, "SPAD">, memref<4x64x16xi8, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @multiply_add_sums(%near: memref<4x64x16xf32, "SPAD">, %w: memref<4x64x16xf32, "SPAD">, %sums: memref<4x64x16xi32, "ACC">) {
  // expected-error @+1 {{products of f32 are added to sums of f32, not i32}}
  gemmini.multiply_add %near, %w, %sums {rows = 4 : i64, k = 4 : i64, n = 4 : i64, step = 1 : i64} : memref<4x64x16xf32, "SPAD">, memref<4x64x16xf32, "SPAD">, memref<4x64x16xi32, "ACC">
  func.return
}

// -----

func.func @config_gelu_zero(%far: memref<64x64xi8>) {
  %s = arith.constant 0.0 : f32
  // expected-error @+1 {{the scale of a GELU is finite and not 0, not 0.0}}
  gemmini.config_gelu %far, %s {stride = array<i64: 0, 1>, qb = -50 : i64, qc = -2770 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @config_gelu_infinite(%far: memref<64x64xi8>) {
  %s = arith.constant 0xFF800000 : f32
  // expected-error @+1 {{the scale of a GELU is finite and not 0, not -inf}}
  gemmini.config_gelu %far, %s {stride = array<i64: 0, 1>, qb = -50 : i64, qc = -2770 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @config_gelu_qb(%far: memref<64x64xi8>) {
  %s = arith.constant -0.01 : f32
  // expected-error @+1 {{'qb' of a GELU is -2147483647 to 0, not 1}}
  gemmini.config_gelu %far, %s {stride = array<i64: 0, 1>, qb = 1 : i64, qc = -2770 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @config_gelu_qc(%far: memref<64x64xi8>) {
  %s = arith.constant -0.01 : f32
  // expected-error @+1 {{'qc' of a GELU has 32 bits, not -2147483649}}
  gemmini.config_gelu %far, %s {stride = array<i64: 0, 1>, qb = -50 : i64, qc = -2147483649 : i64} : memref<64x64xi8>
  func.return
}

// -----

func.func @config_gelu_stride(%far: memref<64x64xi8>) {
  %s = arith.constant -0.01 : f32
  // expected-error @+1 {{rows of a store are 0 to 4294967295 bytes apart, not -64}}
  gemmini.config_gelu %far, %s {stride = array<i64: 0, -1>, qb = -50 : i64, qc = -2770 : i64} : memref<64x64xi8>
  func.return
}
