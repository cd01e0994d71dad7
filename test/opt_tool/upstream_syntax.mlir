// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s | opt-tool | filecheck %s

// Upstream's custom syntax of ops that xDSL prints in the generic form alone.

// CHECK: memref.global "private" constant @a : memref<2xf32> = dense<[1.000000e+00, 2.500000e+00]> {test.mark, alignment = 64 : i64}
memref.global "private" constant @a : memref<2xf32> = dense<[0x3F800000, 2.5]> {alignment = 64 : i64, test.mark}
// CHECK-NEXT: memref.global @b : memref<4xi8> = uninitialized
memref.global @b : memref<4xi8> = uninitialized
// CHECK-NEXT: memref.global "nested" @c : memref<4xi8> = dense<7>
memref.global "nested" @c : memref<4xi8> = dense<7>

// CHECK-NEXT: memref.global "private" @d : memref<4xi8>{{$}}
memref.global "private" @d : memref<4xi8>
// CHECK-NEXT: memref.global constant @e : memref<4xi8>{{$}}
memref.global constant @e : memref<4xi8>
// CHECK-NEXT: "memref.global"() <{sym_name = "g", type = memref<4xi8>}> : () -> ()
"memref.global"() <{sym_name = "g", type = memref<4xi8>}> : () -> ()

// CHECK-LABEL: func.func @memrefs
func.func @memrefs(%a: memref<2xf32>, %b: memref<2xf32>, %i: index, %x: f32) {
  // CHECK-NEXT: memref.copy %a, %b {test.mark} : memref<2xf32> to memref<2xf32>
  memref.copy %a, %b {test.mark} : memref<2xf32> to memref<2xf32>
  // CHECK-NEXT: memref.cast %a : memref<2xf32> to memref<?xf32>
  %0 = memref.cast %a : memref<2xf32> to memref<?xf32>
  // CHECK-NEXT: memref.memory_space_cast %a : memref<2xf32> to memref<2xf32, 1 : i64>
  %1 = memref.memory_space_cast %a : memref<2xf32> to memref<2xf32, 1>
  // CHECK-NEXT: memref.rank %a : memref<2xf32>
  %2 = memref.rank %a : memref<2xf32>
  // CHECK-NEXT: memref.extract_aligned_pointer_as_index %a : memref<2xf32> -> index
  %3 = memref.extract_aligned_pointer_as_index %a : memref<2xf32> -> index
  // CHECK-NEXT: memref.atomic_rmw maximumf %x, %a[%i] : (f32, memref<2xf32>) -> f32
  %4 = memref.atomic_rmw maximumf %x, %a[%i] : (f32, memref<2xf32>) -> f32
  // CHECK-NEXT: memref.alloca_scope -> (f32) {
  %5 = memref.alloca_scope -> (f32) {
    "memref.alloca_scope.return"(%x) : (f32) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @loops
func.func @loops(%a: memref<8x8xf32>, %zero: f32, %lb: index, %ub: index, %st: index) -> f32 {
  // CHECK-NEXT: scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%st, %st) {
  // CHECK-NEXT:   memref.store %zero, %a[%i, %j] : memref<8x8xf32>
  // CHECK-NEXT:   scf.reduce
  // CHECK-NEXT: }
  scf.parallel (%i, %j) = (%lb, %lb) to (%ub, %ub) step (%st, %st) {
    memref.store %zero, %a[%i, %j] : memref<8x8xf32>
  }
  // CHECK-NEXT: %{{.*}} = scf.parallel (%k) = (%lb) to (%ub) step (%st) init (%zero) -> (f32) {
  %sum = scf.parallel (%k) = (%lb) to (%ub) step (%st) init (%zero) -> f32 {
    %x = memref.load %a[%k, %k] : memref<8x8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %r: f32):
      %both = arith.addf %l, %r : f32
      scf.reduce.return %both : f32
    }
  }
  func.return %sum : f32
}

// One result type may stand without parentheses.

// CHECK-LABEL: func.func @bare_types
func.func @bare_types(%c: i1, %x: i32, %n: index) -> i32 {
  // CHECK-NEXT: scf.if %c -> (i32)
  %0 = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    scf.yield %x : i32
  }
  // CHECK: scf.for %i = %n to %n step %n iter_args({{.*}}) -> (i32)
  %1 = scf.for %i = %n to %n step %n iter_args(%a = %0) -> i32 {
    scf.yield %a : i32
  }
  // CHECK: scf.for %{{.*}} = %x to %x step %x iter_args({{.*}}) -> (i32) : i32
  %2 = scf.for %i = %x to %x step %x iter_args(%a = %0)
      ->
      i32 : i32 {
    scf.yield %a : i32
  }
  // CHECK: scf.execute_region -> (i32)
  %3 = scf.execute_region -> i32 {
    scf.yield %x : i32
  }
  // CHECK: scf.index_switch %n -> i32
  %4 = scf.index_switch %n -> i32
  case 2 {
    scf.yield %x : i32
  }
  default {
    scf.yield %0 : i32
  }
  // CHECK: scf.while
  %5 = scf.while (%a = %x) : (i32) -> i32 {
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
  // CHECK: scf.while () : () -> ()
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  func.return %5 : i32
}
