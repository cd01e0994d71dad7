// RUN: opt-tool %s -p cse --allow-unregistered-dialect | filecheck %s

// Equal kernels are computed once, bodies and all; a different attribute, operand or body makes another.

// CHECK-LABEL: func.func @kernels
// CHECK:         %a = nn.ita_max
// CHECK-NEXT:    %c = nn.ita_max {{.*}}levels = 16
// CHECK-NEXT:    %g = linalg.generic
// CHECK:         %i = linalg.generic
// CHECK:         func.return %a, %a, %c, %g, %g, %i
func.func @kernels(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %a = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8} loc("a")
  %f = tensor.empty() : tensor<4xi8>
  %b = nn.ita_max ins(%x : tensor<4xi8>) outs(%f : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8} loc("b")
  %c = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 16 : i64, accumulator = i32, element = i8}
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a1: i8, %b1: i8):
    %s = arith.addi %a1, %a1 : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a2: i8, %b1: i8):
    %s = arith.addi %a2, %a2 : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %i = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a3: i8, %b3: i8):
    %s = arith.addi %a3, %b3 : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  func.return %a, %b, %c, %g, %h, %i : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// What has effects stays: allocations that are written, kernels on buffers, calls of functions that call themselves. A
// read is done once where nothing is written in between.

// CHECK-LABEL: func.func @effects
// CHECK-COUNT-2: memref.alloc()
// CHECK-COUNT-2: nn.ita_max
// CHECK-COUNT-1: memref.load
// CHECK:         memref.store
// CHECK-COUNT-1: memref.load
// CHECK-COUNT-2: func.call @effects
func.func @effects(%x: memref<4xi8>) -> i8 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<4xi8>
  nn.ita_max ins(%x : memref<4xi8>) outs(%a : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  nn.ita_max ins(%x : memref<4xi8>) outs(%a : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %u = memref.load %a[%i] : memref<4xi8>
  %v = memref.load %a[%i] : memref<4xi8>
  %s = arith.addi %u, %v : i8
  memref.store %s, %b[%i] : memref<4xi8>
  %w = memref.load %a[%i] : memref<4xi8>
  %p = func.call @effects(%a) : (memref<4xi8>) -> i8
  %q = func.call @effects(%b) : (memref<4xi8>) -> i8
  %t = arith.addi %s, %w : i8
  func.return %t : i8
}

// A tensor is made of what a buffer holds at that point; a call does what its callee does, one without a body anything.

// CHECK-LABEL: func.func @tensors
// CHECK-COUNT-1: bufferization.to_tensor
// CHECK:         memref.store
// CHECK-COUNT-1: bufferization.to_tensor
// CHECK-COUNT-2: func.call @rand
// CHECK-COUNT-1: func.call @twice
// CHECK-COUNT-2: onnx.RandomNormal
// CHECK-COUNT-1: onnx.Relu
// CHECK:         func.return
func.func private @rand() -> tensor<4xf32>
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func @tensors(%m: memref<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %i = arith.constant 0 : index
  %a = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %b = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  memref.store %f, %m[%i] : memref<4xf32>
  %c = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %d = func.call @rand() : () -> tensor<4xf32>
  %e = func.call @rand() : () -> tensor<4xf32>
  %g = func.call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %h = func.call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %j = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>
  %k = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>
  %l = onnx.Relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %n = onnx.Relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b, %c, %d, %e, %g, %h, %j, %k, %l, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// State is loaded once between stores.

// CHECK-LABEL: func.func @state
// CHECK-COUNT-1: ml_program.global_load
// CHECK:         ml_program.global_store
// CHECK-COUNT-1: ml_program.global_load
// CHECK:         func.return %a, %a, %c
ml_program.global private mutable @s(dense<0> : tensor<4xi8>) : tensor<4xi8>
func.func @state(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = ml_program.global_load @s : tensor<4xi8>
  %b = ml_program.global_load @s : tensor<4xi8>
  ml_program.global_store @s = %x : tensor<4xi8>
  %c = ml_program.global_load @s : tensor<4xi8>
  func.return %a, %b, %c : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// What nobody needs is erased where only its results would tell; what draws random numbers or writes stays.

// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    func.call @rand
// CHECK-NEXT:    onnx.RandomNormal
// CHECK-NEXT:    func.return
func.func @dead(%x: tensor<4xf32>, %m: memref<4xf32>) {
  %a = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.Neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %d = func.call @twice(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %e = func.call @rand() : () -> tensor<4xf32>
  %f = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>
  func.return
}

// A function does not use the constants of the module around it.

// CHECK-LABEL: builtin.module @isolated
// CHECK-NEXT:    arith.constant 7
// CHECK-NEXT:    "test.use"
// CHECK-NEXT:    func.func @inner
// CHECK-NEXT:      arith.constant 7
builtin.module @isolated {
  %c = arith.constant 7 : i32
  "test.use"(%c) : (i32) -> ()
  func.func @inner() -> i32 {
    %d = arith.constant 7 : i32
    func.return %d : i32
  }
}

// An inner region sees the values of the outer one, not the other way round.

// CHECK-LABEL: func.func @regions
// CHECK:         %s = arith.addi %x, %x
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.yield %s
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %m = arith.muli %x, %x
// CHECK:         arith.muli %x, %x
func.func @regions(%x: i32, %c: i1) -> (i32, i32) {
  %s = arith.addi %x, %x : i32
  %r = scf.if %c -> (i32) {
    %t = arith.addi %x, %x : i32
    scf.yield %t : i32
  } else {
    %m = arith.muli %x, %x : i32
    scf.yield %m : i32
  }
  %n = arith.muli %x, %x : i32
  func.return %r, %n : i32, i32
}

// An op of a block is found in those that it dominates, not beside them.

// CHECK-LABEL: func.func @blocks
// CHECK-NEXT:    %x = arith.addi %a, %b : i32
// CHECK-NEXT:    cf.cond_br %c, ^t, ^e
// CHECK:         %m = arith.muli %x, %a : i32
// CHECK-NEXT:    func.return %m, %x
// CHECK:         %n = arith.muli %x, %a : i32
// CHECK-NEXT:    func.return %n, %x
func.func @blocks(%a: i32, %b: i32, %c: i1) -> (i32, i32) {
  %x = arith.addi %a, %b : i32
  cf.cond_br %c, ^t, ^e
^t:
  %y = arith.addi %a, %b : i32
  %m = arith.muli %y, %a : i32
  return %m, %y : i32, i32
^e:
  %n = arith.muli %x, %a : i32
  return %n, %x : i32, i32
}

// Commutative ops are equal with their operands in any order.

// CHECK-LABEL: func.func @commuted
// CHECK-COUNT-1: arith.addi
// CHECK-COUNT-1: arith.maximumf
// CHECK-COUNT-2: arith.subi
func.func @commuted(%a: i32, %b: i32, %f: f32, %g: f32) -> (i32, i32, f32, f32, i32, i32) {
  %x = arith.addi %a, %b : i32
  %y = arith.addi %b, %a : i32
  %m = arith.maximumf %f, %g : f32
  %n = arith.maximumf %g, %f : f32
  %s = arith.subi %a, %b : i32
  %t = arith.subi %b, %a : i32
  return %x, %y, %m, %n, %s, %t : i32, i32, f32, f32, i32, i32
}
