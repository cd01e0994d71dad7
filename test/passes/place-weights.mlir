// RUN: opt-tool %s --split-input-file -p 'attach-machine{target=%S/../machines/preloaded.toml},map-engines,place-weights' | filecheck %s
// RUN: opt-tool %s --split-input-file -p 'attach-machine{target=%S/../machines/preloaded.toml},map-engines,place-weights,plan-memory,verify-memory' | filecheck %s --check-prefix=PLAN

// 64 bytes are there before the program runs: weights of @little fit, those of @much do not. A constant that others read
// too stays where it was.

// CHECK:       "memref.global"() <{sym_name = "little", {{.*}}type = memref<8x8xi8, "ROM">
// CHECK:       "memref.global"() <{sym_name = "much", {{.*}}type = memref<16x8xi8>
// CHECK:       "memref.global"() <{sym_name = "shared", {{.*}}type = memref<8x8xi8>
// CHECK:       memref.get_global @little : memref<8x8xi8, "ROM">
// CHECK:       nn.matmul ins({{.*}} : memref<4x8xi8>, memref<8x8xi8, "ROM">)

// The plan uses it where it lies.

// PLAN:        hier.grid {{.*}} ins({{.*}} : memref<4x8xi8>, memref<8x8xi8, "ROM">)
// PLAN-SAME:   #hier.tile<[8, 8] at affine_map<() -> (0, 0)>>

"memref.global"() <{sym_name = "little", sym_visibility = "private", type = memref<8x8xi8>, initial_value = dense<1> : tensor<8x8xi8>, constant}> : () -> ()
"memref.global"() <{sym_name = "much", sym_visibility = "private", type = memref<16x8xi8>, initial_value = dense<1> : tensor<16x8xi8>, constant}> : () -> ()
"memref.global"() <{sym_name = "shared", sym_visibility = "private", type = memref<8x8xi8>, initial_value = dense<1> : tensor<8x8xi8>, constant}> : () -> ()

func.func @network(%x: memref<4x8xi8>, %a: memref<4x8xi32> {tilewright.output}, %b: memref<4x16xi32> {tilewright.output}, %c: memref<8x8xi32> {tilewright.output}) {
  %l = memref.get_global @little : memref<8x8xi8>
  nn.matmul ins(%x, %l : memref<4x8xi8>, memref<8x8xi8>) outs(%a : memref<4x8xi32>) {accumulator = i32, transpose_b}
  %m = memref.get_global @much : memref<16x8xi8>
  nn.matmul ins(%x, %m : memref<4x8xi8>, memref<16x8xi8>) outs(%b : memref<4x16xi32>) {accumulator = i32, transpose_b}
  %s = memref.get_global @shared : memref<8x8xi8>
  nn.matmul ins(%s, %s : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Two constants that fit one by one, but not both.

// CHECK:       "memref.global"() <{sym_name = "first", {{.*}}type = memref<5x8xi8, "ROM">
// CHECK:       "memref.global"() <{sym_name = "second", {{.*}}type = memref<5x8xi8>

"memref.global"() <{sym_name = "first", sym_visibility = "private", type = memref<5x8xi8>, initial_value = dense<1> : tensor<5x8xi8>, constant}> : () -> ()
"memref.global"() <{sym_name = "second", sym_visibility = "private", type = memref<5x8xi8>, initial_value = dense<2> : tensor<5x8xi8>, constant}> : () -> ()

func.func @network(%x: memref<4x8xi8>, %a: memref<4x5xi32> {tilewright.output}, %b: memref<4x5xi32> {tilewright.output}) {
  %f = memref.get_global @first : memref<5x8xi8>
  nn.matmul ins(%x, %f : memref<4x8xi8>, memref<5x8xi8>) outs(%a : memref<4x5xi32>) {accumulator = i32, transpose_b}
  %s = memref.get_global @second : memref<5x8xi8>
  nn.matmul ins(%x, %s : memref<4x8xi8>, memref<5x8xi8>) outs(%b : memref<4x5xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Weights of one kernel that are the input of another one.

// CHECK:       "memref.global"() <{sym_name = "input", {{.*}}type = memref<4x8xi8>

"memref.global"() <{sym_name = "input", sym_visibility = "private", type = memref<4x8xi8>, initial_value = dense<1> : tensor<4x8xi8>, constant}> : () -> ()

func.func @network(%x: memref<4x8xi8>, %y: memref<4x8xi8>, %a: memref<4x4xi32> {tilewright.output}, %b: memref<4x4xi32> {tilewright.output}) {
  %w = memref.get_global @input : memref<4x8xi8>
  nn.matmul ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%a : memref<4x4xi32>) {accumulator = i32, transpose_b}
  nn.matmul ins(%w, %y : memref<4x8xi8>, memref<4x8xi8>) outs(%b : memref<4x4xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Weights that the epilogue of their kernel reads too.

// CHECK:       "memref.global"() <{sym_name = "extra", {{.*}}type = memref<4x4xi8>

"memref.global"() <{sym_name = "extra", sym_visibility = "private", type = memref<4x4xi8>, initial_value = dense<1> : tensor<4x4xi8>, constant}> : () -> ()

func.func @network(%x: memref<4x4xi8>, %a: memref<4x4xi32> {tilewright.output}) {
  %w = memref.get_global @extra : memref<4x4xi8>
  nn.matmul ins(%x, %w : memref<4x4xi8>, memref<4x4xi8>) outs(%a : memref<4x4xi32>) {accumulator = i32, transpose_b}
    epilogue(%w : memref<4x4xi8>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %e: i8):
    %wide = arith.extsi %e : i8 to i32
    %total = arith.addi %sum, %wide : i32
    linalg.yield %total : i32
  }
  func.return
}
