// RUN: opt-tool %s --pass-pipeline='builtin.module(convert-to-emitc)' --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{'memref.alloc' cannot be converted to C}}
  %a = memref.alloc() : memref<4xi8>
  func.return
}

// -----

// expected-error@+1 {{C11 has no type for f80}}
func.func @f(%x: memref<1xf80>) {
  func.return
}

// -----

// expected-error@+1 {{the layout of a memref is not static}}
func.func @f(%x: memref<?xi8>) {
  func.return
}

// -----

// expected-error@+1 {{an argument of a public function is an array in C, whose elements are dense and row-major}}
func.func @f(%x: memref<2x3xi8, strided<[1, 2], offset: 7>>) {
  func.return
}

// -----

func.func private @f() {
  // expected-error@+1 {{a function calls itself}}
  func.call @f() : () -> ()
  func.return
}
func.func @g() {
  func.call @f() : () -> ()
  func.return
}

// -----

func.func @runtime() {
  // expected-error@+1 {{'cluster.dma_begin' calls the C runtime of a target, whose header is not configured}}
  %token = cluster.dma_begin : i32
  cluster.dma_wait %token : i32
  func.return
}

// -----

func.func @entry(%x: memref<4xi8>) {
  // expected-error@+1 {{a public function is called with buffers}}
  func.call @part(%x) : (memref<4xi8>) -> ()
  func.return
}
func.func @part(%x: memref<4xi8>) {
  func.return
}

// -----

// expected-error@+1 {{a C function has one result}}
func.func @f(%x: i32) -> (i32, i32) {
  func.return %x, %x : i32, i32
}
