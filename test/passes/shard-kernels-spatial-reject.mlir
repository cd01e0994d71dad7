// RUN: opt-tool %s -p attach-machine{target=pim/4x4},shard-kernels --split-input-file --verify-diagnostics

func.func @too_many(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{the sub-arrays need more instances than 'array' has}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.sub_arrays = [array<i64: 2, 4>, array<i64: 2>]}
  func.return
}

// -----

func.func @one_coordinate(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{does not describe sub-arrays of 'array'}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.sub_arrays = [array<i64: 2, 2>]}
  func.return
}

// -----

func.func @no_array(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{the attribute hier.spatial is no array of numbers}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.spatial = "rows"}
  func.return
}

// -----

func.func @no_loop(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{the attribute hier.spatial does not name loops of this kernel}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.spatial = array<i64: 0, 2>}
  func.return
}

// -----

// Coordinates 0 and 1 split loop 0 together: into 16 parts.
func.func @unequal(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{do not divide into equal parts that are independent}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.spatial = array<i64: 0, 0>}
  func.return
}

// -----

func.func @dependent(%x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  // expected-error@below {{do not divide into equal parts that are independent}}
  nn.softmax ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {accumulator = f32, element = f32, hier.spatial = array<i64: 0, 1>}
  func.return
}
