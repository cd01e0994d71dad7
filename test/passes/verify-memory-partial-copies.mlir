// A copy of a buffer that is written in parts: what is missing in it is missing in the copy.
// RUN: opt-tool %s -p verify-memory --split-input-file --verify-diagnostics

// The rest of the copy is written afterwards.
func.func @network(%x: memref<2xf32>, %out: memref<2x2xf32> {tilewright.output}) {
  %whole = memref.alloc() : memref<2x2xf32>
  %first = memref.subview %whole[0, 0] [1, 2] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %x, %first : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %whole, %out : memref<2x2xf32> to memref<2x2xf32>
  %second = memref.subview %out[1, 0] [1, 2] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.copy %x, %second : memref<2xf32> to memref<2xf32, strided<[1], offset: 2>>
  func.return
}

// -----

// Nobody writes the rest.
// expected-error@+1 {{the output %out is not written completely}}
func.func @network(%x: memref<2xf32>, %out: memref<2x2xf32> {tilewright.output}) {
  %whole = memref.alloc() : memref<2x2xf32>
  %first = memref.subview %whole[0, 0] [1, 2] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %x, %first : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %whole, %out : memref<2x2xf32> to memref<2x2xf32>
  func.return
}

// -----

// A kernel reads the rest of the copy.
func.func @network(%x: memref<2xf32>, %out: memref<2x2xf32> {tilewright.output}) {
  %whole = memref.alloc() : memref<2x2xf32>
  %other = memref.alloc() : memref<2x2xf32>
  %first = memref.subview %whole[0, 0] [1, 2] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %x, %first : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %whole, %other : memref<2x2xf32> to memref<2x2xf32>
  // expected-error@+1 {{reads operand 0 (%other), which nothing has written}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%other : memref<2x2xf32>) outs(%out : memref<2x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// -----

// Another buffer is written over a part of it.
func.func @network(%x: memref<2xf32>, %out: memref<2x2xf32> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %arena = memref.alloc() : memref<24xi8>
  %whole = "memref.view"(%arena, %zero) : (memref<24xi8>, index) -> memref<2x2xf32>
  %other = "memref.view"(%arena, %four) : (memref<24xi8>, index) -> memref<2xf32>
  %first = memref.subview %whole[0, 0] [1, 2] [1, 1] : memref<2x2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %x, %first : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %x, %other : memref<2xf32> to memref<2xf32>
  // expected-error@+1 {{'memref.copy' reads operand 0 (%whole), which}}
  memref.copy %whole, %out : memref<2x2xf32> to memref<2x2xf32>
  func.return
}

// -----

// Nothing of it has been written.
func.func @network(%x: memref<2xf32>, %out: memref<2x2xf32> {tilewright.output}) {
  %whole = memref.alloc() : memref<2x2xf32>
  // expected-error@+1 {{'memref.copy' reads operand 0 (%whole), which nothing has written}}
  memref.copy %whole, %out : memref<2x2xf32> to memref<2x2xf32>
  func.return
}
