// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// Elements are loaded from anywhere, and stored anywhere in what holds numbers already: accepted.
func.func @anywhere(%a: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  memref.copy %a, %c : memref<8xi32> to memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %n = memref.load %a[%i] : memref<8xi32>
    %k = arith.index_cast %n : i32 to index
    %v = memref.load %a[%k] : memref<8xi32>
    memref.store %v, %c[%k] : memref<8xi32>
  }
  func.return
}

// -----

func.func @left_out(%a: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %n = memref.load %a[%c0] : memref<8xi32>
  %k = arith.index_cast %n : i32 to index
  // expected-error@+1 {{'memref.store' reads what it may leave as it is, which nothing has written (rule 'initialised')}}
  memref.store %n, %c[%k] : memref<8xi32>
  func.return
}

// -----

// As often as the data say: kernels on buffers of the loop's own, and what is there before and is written over.
func.func @as_often(%a: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %a[%c0] : memref<8xi32>
  %k = arith.index_cast %n : i32 to index
  memref.copy %a, %c : memref<8xi32> to memref<8xi32>
  scf.for %i = %c0 to %k step %c1 {
    %own = memref.alloc() : memref<8xi32>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xi32>) outs(%own : memref<8xi32>) {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %x : i32
      linalg.yield %s : i32
    }
    %v = memref.load %own[%i] : memref<8xi32>
    %m = arith.cmpi slt, %v, %n : i32
    scf.if %m {
      memref.store %v, %c[%i] : memref<8xi32>
    }
  }
  func.return
}

// -----

// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @perhaps_never(%a: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %a[%c0] : memref<8xi32>
  %k = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %k step %c1 {
    memref.copy %a, %c : memref<8xi32> to memref<8xi32>
  }
  func.return
}

// -----

// The second time %x is no longer what it was.
memref.global "private" @arena : memref<12xi8> = uninitialized {tilewright.arena}
func.func @again(%a: memref<8xi8>, %n: index, %c: memref<8xi8> {tilewright.output}) {
  %arena = memref.get_global @arena : memref<12xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.view %arena[%c0][] : memref<12xi8> to memref<8xi8>
  memref.copy %a, %x : memref<8xi8> to memref<8xi8>
  memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  %v = memref.load %a[%c0] : memref<8xi8>
  %k = arith.index_cast %v : i8 to index
  scf.for %i = %c0 to %k step %c1 {
    // expected-error@+1 {{'memref.copy' reads operand 0 (%x), which another buffer has been written over (rule 'disjoint')}}
    memref.copy %x, %c : memref<8xi8> to memref<8xi8>
    %y = memref.view %arena[%c4][] : memref<12xi8> to memref<8xi8>
    memref.copy %a, %y : memref<8xi8> to memref<8xi8>
  }
  func.return
}

// -----

// Each branch writes all of a buffer that lies where others lay, the second one in two parts.
memref.global "private" @arena : memref<8xi8> = uninitialized {tilewright.arena}
func.func @filled_by_both(%a: memref<8xi8>, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  %arena = memref.get_global @arena : memref<8xi8>
  %c0 = arith.constant 0 : index
  %old = memref.view %arena[%c0][] : memref<8xi8> to memref<1xi8>
  %v = memref.load %a[%c0] : memref<8xi8>
  memref.store %v, %old[%c0] : memref<1xi8>
  %x = memref.view %arena[%c0][] : memref<8xi8> to memref<8xi8>
  scf.if %b {
    memref.copy %a, %x : memref<8xi8> to memref<8xi8>
  } else {
    %x0 = memref.subview %x[0] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1]>>
    %x4 = memref.subview %x[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
    %a0 = memref.subview %a[0] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1]>>
    memref.copy %a0, %x0 : memref<4xi8, strided<[1]>> to memref<4xi8, strided<[1]>>
    memref.copy %a0, %x4 : memref<4xi8, strided<[1]>> to memref<4xi8, strided<[1], offset: 4>>
  }
  memref.copy %x, %c : memref<8xi8> to memref<8xi8>
  func.return
}

// -----

// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @filled_by_one(%a: memref<8xi8>, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  scf.if %b {
    memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  }
  func.return
}

// -----

// What the first branch has written is not there in the second.
func.func @read_in_the_other(%a: memref<8xi8>, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  %x = memref.alloc() : memref<8xi8>
  scf.if %b {
    memref.copy %a, %x : memref<8xi8> to memref<8xi8>
    memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  } else {
    // expected-error@+1 {{'memref.copy' reads operand 0 (%x), which nothing has written (rule 'initialised')}}
    memref.copy %x, %c : memref<8xi8> to memref<8xi8>
    memref.copy %a, %x : memref<8xi8> to memref<8xi8>
  }
  func.return
}

// -----

// A loop that may run no times leaves the buffer as it was, whatever the conditional in it does.
// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @filled_in_a_loop(%a: memref<8xi8>, %n: index, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %b {
      memref.copy %a, %c : memref<8xi8> to memref<8xi8>
    } else {
      memref.copy %a, %c : memref<8xi8> to memref<8xi8>
    }
  }
  func.return
}

// -----

func.func @transfers(%a: memref<8xi8>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %n[%c0] : memref<1xi32>
  %k = arith.index_cast %v : i32 to index
  // expected-error@+1 {{the bounds of a loop depend on data (rule 'static')}}
  scf.for %i = %c0 to %k step %c1 {
    %near = memref.alloc() : memref<8xi8, "L1">
    %t = hier.dma_start %a[%c0] to %near : memref<8xi8>, memref<8xi8, "L1">
    hier.dma_wait %t
  }
  func.return
}

// -----

// Both sides write all of it: accepted.
func.func @both_sides(%a: memref<8xi32>, %b: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %n = memref.load %a[%c0] : memref<8xi32>
  %m = arith.cmpi slt, %n, %n : i32
  scf.if %m {
    memref.copy %a, %c : memref<8xi32> to memref<8xi32>
  } else {
    memref.copy %b, %c : memref<8xi32> to memref<8xi32>
  }
  func.return
}

// -----

// One side writes it: what is read after is there on one path only.
func.func @one_side(%a: memref<8xi32>, %c: memref<8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %n = memref.load %a[%c0] : memref<8xi32>
  %m = arith.cmpi slt, %n, %n : i32
  %t = memref.alloc() : memref<8xi32>
  scf.if %m {
    memref.copy %a, %t : memref<8xi32> to memref<8xi32>
  } else {
    memref.copy %a, %c : memref<8xi32> to memref<8xi32>
  }
  // expected-error@+1 {{'memref.copy' reads operand 0 (%t), which nothing has written (rule 'initialised')}}
  memref.copy %t, %c : memref<8xi32> to memref<8xi32>
  func.return
}

// -----

// Each side clobbers the other's buffer: on the path of the second, %x is no more.
memref.global "private" @arena : memref<16xi8> = uninitialized {tilewright.arena}
func.func @clobbered(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %arena = memref.get_global @arena : memref<16xi8>
  %n = memref.load %a[%c0] : memref<8xi8>
  %m = arith.cmpi slt, %n, %n : i8
  %x = memref.view %arena[%c0][] : memref<16xi8> to memref<8xi8>
  %y = memref.view %arena[%c0][] : memref<16xi8> to memref<8xi8>
  memref.copy %a, %x : memref<8xi8> to memref<8xi8>
  scf.if %m {
    memref.copy %a, %y : memref<8xi8> to memref<8xi8>
  }
  // expected-error@+1 {{'memref.copy' reads operand 0 (%x), which another buffer has been written over (rule 'disjoint')}}
  memref.copy %x, %c : memref<8xi8> to memref<8xi8>
  func.return
}
