// RUN: opt-tool %s -p promote-single-iterations | filecheck %s

// A core's share of eight iterations: the loop around it is an innermost one.
// CHECK-LABEL: func.func @share
// CHECK:         scf.for %i = %c0 to %c12 step %c1 {
// CHECK-NEXT:      %first = arith.muli %core, %c1 : index
// CHECK-NEXT:      %last = arith.addi %first, %c1 : index
// CHECK-NEXT:      memref.load %a[%i, %first]
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
func.func @share(%a: memref<12x8xi8>, %b: memref<12x8xi8>, %core: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %first = arith.muli %core, %c1 : index
    %last = arith.addi %first, %c1 : index
    scf.for %j = %first to %last step %c1 {
      %x = memref.load %a[%i, %j] : memref<12x8xi8>
      memref.store %x, %b[%i, %j] : memref<12x8xi8>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @sum
// CHECK-NOT:     scf.for
// CHECK:         [[X:%.*]] = memref.load %a[%c3]
// CHECK-NEXT:    [[SUM:%.*]] = arith.addi %begin, [[X]] : i32
// CHECK-NEXT:    func.return [[SUM]] : i32
func.func @sum(%a: memref<5xi32>, %begin: i32) -> i32 {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %sum = scf.for %i = %c3 to %c5 step %c2 iter_args(%acc = %begin) -> (i32) {
    %x = memref.load %a[%i] : memref<5xi32>
    %y = arith.addi %acc, %x : i32
    scf.yield %y : i32
  }
  func.return %sum : i32
}

// Of several iterations, and of a core whose share may be empty.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: scf.for
func.func @kept(%a: memref<5xi8>, %x: i8, %core: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %x, %a[%i] : memref<5xi8>
  }
  %next = arith.addi %core, %c1 : index
  %first = arith.minsi %core, %c5 : index
  %last = arith.minsi %next, %c5 : index
  scf.for %i = %first to %last step %c1 {
    memref.store %x, %a[%i] : memref<5xi8>
  }
  func.return
}
