// RUN: opt-tool %s -p add-main --split-input-file --verify-diagnostics

// expected-error@unknown {{the module has no function 'network'}}
func.func @f() {
  func.return
}

// -----

// expected-error@+1 {{'network' takes or returns a value of type memref<4xi8>}}
func.func @network(%x: memref<4xi8>) {
  func.return
}

// -----

// expected-error@+1 {{'network' takes or returns a value of type tensor<?xi8>}}
func.func @network(%x: tensor<?xi8>) {
  func.return
}

// -----

// expected-error@+1 {{the module has a function 'read' already}}
func.func @network(%x: tensor<4xi8>) {
  func.return
}
func.func private @read()
