// RUN: opt-tool %s -p loop-hoist-memref --interpret-each > %t && opt-tool %s | diff - %t

// What may access the element otherwise keeps it in memory.

func.func private @touch(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xi32>
  memref.store %v, %m[%c0] : memref<4xi32>
  func.return
}

// Arguments of a function that the module calls may be the same buffer.
func.func private @twice(%a: memref<4xi32>, %b: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %a[%c0] : memref<4xi32>
    %w = memref.load %b[%i] : memref<4xi32>
    %s = arith.addi %v, %w : i32
    memref.store %s, %a[%c0] : memref<4xi32>
  }
  func.return
}

func.func @network(%m: memref<4xi32> {tilewright.output}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // Another index of the same memory.
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %m[%c0] : memref<4xi32>
    memref.store %v, %m[%i] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %m[%c0] : memref<4xi32>
  }
  // A view of it, in an inner loop.
  %view = memref.subview %m[0] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1]>>
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %m[%c0] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    scf.for %j = %c0 to %c1 step %c1 {
      memref.store %w, %view[%j] : memref<2xi32, strided<[1]>>
    }
    memref.store %v, %m[%c0] : memref<4xi32>
  }
  // A call.
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %m[%c0] : memref<4xi32>
    func.call @touch(%m) : (memref<4xi32>) -> ()
    %w = arith.addi %v, %v : i32
    memref.store %w, %m[%c0] : memref<4xi32>
  }
  // Perhaps no iteration: neither the load nor the store may be valid then.
  %most = arith.minui %n, %c3 : index
  scf.for %i = %c0 to %most step %c1 {
    %v = memref.load %m[%most] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %m[%most] : memref<4xi32>
  }
  // An index that each iteration loads, and one that the loop carries.
  %t = memref.alloc() : memref<1xindex>
  memref.store %c1, %t[%c0] : memref<1xindex>
  scf.for %i = %c0 to %c3 step %c1 {
    %k = memref.load %t[%c0] : memref<1xindex>
    %v = memref.load %m[%k] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %m[%k] : memref<4xi32>
  }
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %c0) -> (index) {
    %v = memref.load %m[%k] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %m[%k] : memref<4xi32>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  // A store before the load.
  scf.for %i = %c0 to %c3 step %c1 {
    %w = arith.index_cast %i : index to i32
    memref.store %w, %m[%c0] : memref<4xi32>
    %v = memref.load %m[%c0] : memref<4xi32>
  }
  func.call @twice(%m, %m) : (memref<4xi32>, memref<4xi32>) -> ()
  func.return
}
