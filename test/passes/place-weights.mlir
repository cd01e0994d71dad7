// RUN: opt-tool %s --split-input-file -p 'attach-machine{target=%S/../machines/preloaded.toml},map-engines,place-weights' | filecheck %s
// RUN: opt-tool %s --split-input-file -p 'attach-machine{target=%S/../machines/preloaded.toml},map-engines,place-weights,plan-memory,verify-memory' | filecheck %s --check-prefix=PLAN

// 64 bytes are there before the program runs: weights of @little fit, those of @much do not. A constant that others read
// too stays where it was.

// CHECK:       memref.global {{.*}}@little : memref<8x8xi8, "ROM">
// CHECK:       memref.global {{.*}}@much : memref<16x8xi8>
// CHECK:       memref.global {{.*}}@shared : memref<8x8xi8>
// CHECK:       memref.get_global @little : memref<8x8xi8, "ROM">
// CHECK:       nn.matmul ins({{.*}} : memref<4x8xi8>, memref<8x8xi8, "ROM">)

// The plan uses it where it lies.

// PLAN:        hier.grid
// PLAN-NEXT:     ins({{.*}} : memref<4x8xi8>,
// PLAN-NEXT:         %{{.*}} = %{{.*}} : memref<8x8xi8, "ROM">)

memref.global "private" constant @little : memref<8x8xi8> = dense<1>
memref.global "private" constant @much : memref<16x8xi8> = dense<1>
memref.global "private" constant @shared : memref<8x8xi8> = dense<1>

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

// CHECK:       memref.global {{.*}}@first : memref<5x8xi8, "ROM">
// CHECK:       memref.global {{.*}}@second : memref<5x8xi8>

memref.global "private" constant @first : memref<5x8xi8> = dense<1>
memref.global "private" constant @second : memref<5x8xi8> = dense<2>

func.func @network(%x: memref<4x8xi8>, %a: memref<4x5xi32> {tilewright.output}, %b: memref<4x5xi32> {tilewright.output}) {
  %f = memref.get_global @first : memref<5x8xi8>
  nn.matmul ins(%x, %f : memref<4x8xi8>, memref<5x8xi8>) outs(%a : memref<4x5xi32>) {accumulator = i32, transpose_b}
  %s = memref.get_global @second : memref<5x8xi8>
  nn.matmul ins(%x, %s : memref<4x8xi8>, memref<5x8xi8>) outs(%b : memref<4x5xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Weights of one kernel that are the input of another one.

// CHECK:       memref.global {{.*}}@input : memref<4x8xi8>

memref.global "private" constant @input : memref<4x8xi8> = dense<1>

func.func @network(%x: memref<4x8xi8>, %y: memref<4x8xi8>, %a: memref<4x4xi32> {tilewright.output}, %b: memref<4x4xi32> {tilewright.output}) {
  %w = memref.get_global @input : memref<4x8xi8>
  nn.matmul ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%a : memref<4x4xi32>) {accumulator = i32, transpose_b}
  nn.matmul ins(%w, %y : memref<4x8xi8>, memref<4x8xi8>) outs(%b : memref<4x4xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Weights that the epilogue of their kernel reads too.

// CHECK:       memref.global {{.*}}@extra : memref<4x4xi8>

memref.global "private" constant @extra : memref<4x4xi8> = dense<1>

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
