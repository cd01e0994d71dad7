// RUN: opt-tool %s -p cse | filecheck %s

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

// What has effects stays: allocations, loads between which may lie a store, kernels on buffers, calls.

// CHECK-LABEL: func.func @effects
// CHECK-COUNT-2: memref.alloc()
// CHECK-COUNT-2: nn.ita_max
// CHECK-COUNT-2: memref.load
// CHECK-COUNT-2: func.call @effects
func.func @effects(%x: memref<4xi8>) -> i8 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<4xi8>
  nn.ita_max ins(%x : memref<4xi8>) outs(%a : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  nn.ita_max ins(%x : memref<4xi8>) outs(%a : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %u = memref.load %a[%i] : memref<4xi8>
  %v = memref.load %a[%i] : memref<4xi8>
  %p = func.call @effects(%a) : (memref<4xi8>) -> i8
  %q = func.call @effects(%a) : (memref<4xi8>) -> i8
  %s = arith.addi %u, %v : i8
  func.return %s : i8
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
