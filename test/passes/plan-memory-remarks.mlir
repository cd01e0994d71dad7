// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=2048 time-budget=0}" --remarks - -o %t 2>&1 | filecheck %s
// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=2048 time-budget=0}" --mlir-print-debuginfo --remarks %t.json -o %t.1
// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=2048 time-budget=0}" --mlir-print-debuginfo -o - | diff - %t.1
// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=2048 time-budget=0 double-buffered=false}" --remarks - -o %t 2>&1 | filecheck %s --check-prefix=SINGLE

// All fits: each kernel is one tile, the buffer between them is resident, and nothing faster was refused.
func.func @resident(%a: memref<8x16xi8>, %b: memref<16x32xi8>, %c: memref<32x16xi8>, %o: memref<8x16xi32>) {
  %t = memref.alloc() : memref<8x32xi8>
  // CHECK-LABEL: node "first": remark: [plan-memory] passed tile of 'nn.matmul': 8 x 32 x 16, no loop, stages 1 1 1: {{[0-9,]+}} cycles modelled, 640 of 1,792 bytes of L1; of {{[0-9]+}} costed, 112 legal, 175 tried
  // CHECK-NOT:  "first": {{.*}} missed tile
  // CHECK:      "first": {{.*}} analysis compute of 'nn.matmul': compute alone takes {{[0-9,]+}} of {{[0-9,]+}} cycles, {{[0-9]+}}%
  // CHECK-NOT:  "first": {{.*}} missed tile
  // CHECK:      "first": {{.*}} missed double buffering of 'nn.matmul': the kernel is one tile, so that no transfer overlaps its compute
  // CHECK:      remark: [plan-memory] passed residency of 'memref.alloc': %t: 256 bytes at L1 address 1024, alive in kernels 0 to 1
  // CHECK-NEXT: "second": {{.*}} missed fusion of 'nn.matmul': not tile by tile with 'nn.matmul' before it: the result is resident
  // CHECK-NEXT: "first": {{.*}} passed address of 'nn.matmul': %a at L1 address 0, 1 x 128 bytes; %b at L1 address 128, 1 x 512 bytes
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x32xi8>) outs(%t : memref<8x32xi8>) {accumulator = i8} loc("first")
  nn.matmul ins(%t, %c : memref<8x32xi8>, memref<32x16xi8>) outs(%o : memref<8x16xi32>) {accumulator = i32} loc("second")
  func.return
}

// The level is too small for one tile: faster ones are refused with the bytes that they lack.
func.func @tiled(%a: memref<1x4096xi8>, %b: memref<4096x1xi8>, %o: memref<1x1xi32>) {
  // CHECK-LABEL: node "row": remark: [plan-memory] passed tile of 'nn.matmul': 1 x 1 x 274, loops d2, stages 2 2 1: {{[0-9,]+}} cycles modelled, 1,128 of 2,048 bytes of L1
  // CHECK:      "row": {{.*}} missed tile of 'nn.matmul': 1 x 1 x 4096, no loop, stages 1 1 1: {{[0-9,]+}} cycles, but 8,200 bytes of L1, 6,152 too many
  // CHECK-NEXT: "row": {{.*}} analysis tile of 'nn.matmul': the next that fits is 1 x 1 x 274, loops d2, stages 1 1 1: {{[0-9,]+}} cycles, 568 of 2,048 bytes of L1
  // CHECK-NOT:  "row": {{.*}} missed double buffering
  // CHECK:      "row": {{.*}} passed address of 'nn.matmul': %a at L1 address 0, 2 x 274 bytes; %b at L1 address 560, 2 x 274 bytes; %o at L1 address 1120, 1 x 4 bytes
  // SINGLE:     "row": {{.*}} missed double buffering of 'nn.matmul': %a has one buffer in L1: the option double-buffered=false of plan-memory
  nn.matmul ins(%a, %b : memref<1x4096xi8>, memref<4096x1xi8>) outs(%o : memref<1x1xi32>) {accumulator = i32} loc("row")
  func.return
}

// The buffer between two kernels is larger than the level: they are fused.
func.func @fused(%a: memref<512x1xi8>, %b: memref<1x64xi8>, %c: memref<64x1xi8>, %o: memref<512x1xi8>) {
  %t = memref.alloc() : memref<512x64xi8>
  // CHECK:      "down": {{.*}} passed fusion of 'nn.matmul': 2 kernels tile by tile, their intermediates in near memory alone: nn.matmul, nn.matmul
  // CHECK:      "down": {{.*}} analysis legality of 'nn.matmul': the rule 'even steps over an intermediate' refuses 184 of 345 tilings, such as 1 x 1 x 3: a reduction over an intermediate must be cut evenly
  // CHECK-NOT:  missed residency
  // CHECK:      "down": {{.*}} passed address of 'nn.matmul': {{.*}}scratch at L1 address 256
  nn.matmul ins(%a, %b : memref<512x1xi8>, memref<1x64xi8>) outs(%t : memref<512x64xi8>) {accumulator = i8} loc("up")
  nn.matmul ins(%t, %c : memref<512x64xi8>, memref<64x1xi8>) outs(%o : memref<512x1xi8>) {accumulator = i8} loc("down")
  func.return
}

// Hints: pinned buffers, stages and sizes are named as the reasons.
func.func @hints(%a: memref<8x16xi8>, %b: memref<16x32xi8>, %c: memref<32x16xi8>, %o: memref<8x16xi32>) {
  %t = memref.alloc() {hier.keep = false} : memref<8x32xi8>
  // CHECK:      "pinned": {{.*}} missed double buffering of 'nn.matmul': %a has one buffer in L1: the hint hier.stages = 1
  // CHECK:      remark: [plan-memory] missed residency of 'memref.alloc': %t: 256 bytes, alive in kernels 0 to 1, are not resident in L1: a hint says so, or its kernels use no level in common
  // CHECK-NEXT: "free": {{.*}} missed fusion of 'nn.matmul': not tile by tile with 'nn.matmul' before it: the hint hier.sizes pins its tiles
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x32xi8>) outs(%t : memref<8x32xi8>) {accumulator = i8, hier.sizes = array<i64: 2, 0, 0>, hier.stages = 1 : i64} loc("pinned")
  nn.matmul ins(%t, %c : memref<8x32xi8>, memref<32x16xi8>) outs(%o : memref<8x16xi32>) {accumulator = i32} loc("free")
  func.return
}
