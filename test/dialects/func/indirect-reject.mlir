// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{@missing does not name a function}}
  %0 = func.constant @missing : () -> ()
  func.return
}

// -----

memref.global "private" @data : memref<2xi8> = uninitialized
func.func @f() {
  // expected-error@+1 {{@data does not name a function}}
  %0 = func.constant @data : () -> ()
  func.return
}

// -----

func.func private @g(i32) -> i32
func.func @f() {
  // expected-error@+1 {{@g has another type: expected () -> (), found (i32) -> i32}}
  %0 = func.constant @g : () -> ()
  func.return
}

// -----

func.func @f(%f: (i32) -> i32, %x: i64) {
  // expected-error@+1 {{the operands are not those of the callee's type: expected i32, found i64}}
  %0 = "func.call_indirect"(%f, %x) : ((i32) -> i32, i64) -> i32
  func.return
}

// -----

func.func @f(%f: (i32) -> i32, %x: i32) {
  // expected-error@+1 {{the results are not those of the callee's type: expected i32, found none}}
  "func.call_indirect"(%f, %x) : ((i32) -> i32, i32) -> ()
  func.return
}
