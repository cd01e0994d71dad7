// RUN: opt-tool %s -p cse > %t && opt-tool %s | diff - %t

// Kernels of another attribute, another operand or another body are others.
func.func @kernels(%x: tensor<4xi8>, %y: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %a = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %b = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 16 : i64, accumulator = i32, element = i8}
  %c = nn.ita_max ins(%y : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %a, %b, %c : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// A store, and a call of a function that is not known, come between two reads; kernels on buffers write.
func.func private @unknown()
func.func @reads(%m: memref<4xi8>, %n: memref<4xi8>, %i: index) -> (i8, i8, i8) {
  %a = memref.load %m[%i] : memref<4xi8>
  memref.store %a, %n[%i] : memref<4xi8>
  %b = memref.load %m[%i] : memref<4xi8>
  func.call @unknown() : () -> ()
  %c = memref.load %m[%i] : memref<4xi8>
  nn.ita_max ins(%m : memref<4xi8>) outs(%n : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  nn.ita_max ins(%m : memref<4xi8>) outs(%n : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %a, %b, %c : i8, i8, i8
}

// Each allocation is one of its own, and each call that draws numbers, too.
func.func @own(%i: index, %x: i8) -> (memref<4xi8>, memref<4xi8>, tensor<4xf32>, tensor<4xf32>) {
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<4xi8>
  memref.store %x, %a[%i] : memref<4xi8>
  %c = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>
  %d = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>
  func.return %a, %b, %c, %d : memref<4xi8>, memref<4xi8>, tensor<4xf32>, tensor<4xf32>
}

// One arm of a conditional does not see the values of the other.
func.func @arms(%x: i32, %c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %t = arith.addi %x, %x : i32
    scf.yield %t : i32
  } else {
    %m = arith.addi %x, %x : i32
    scf.yield %m : i32
  }
  func.return %r : i32
}
