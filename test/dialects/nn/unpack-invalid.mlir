// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f(%x: memref<4xi8>, %o: memref<10xi8>) {
  // expected-error @+1 {{packed numbers have 2 or 4 bits, not 3}}
  nn.unpack ins(%x : memref<4xi8>) outs(%o : memref<10xi8>) {bits = 3 : i64}
  func.return
}

// -----

func.func @f(%x: memref<3x4xi8>, %o: memref<3x9xi8>) {
  // expected-error @+1 {{[3, 9] are packed as [3, 8], got [3, 4]}}
  nn.unpack ins(%x : memref<3x4xi8>) outs(%o : memref<3x9xi8>) {bits = 4 : i64}
  func.return
}

// -----

func.func @f(%x: memref<4xi8>, %o: memref<8xi16>) {
  // expected-error @+1 {{bytes on both sides}}
  nn.unpack ins(%x : memref<4xi8>) outs(%o : memref<8xi16>) {bits = 4 : i64}
  func.return
}
