// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// Two tiles in turn, the next fetched before this one is waited for: accepted.
memref.global "private" @near : memref<64xi8, "L1"> = uninitialized
func.func @in_turn(%a: memref<64xi8>, %c: memref<64xi8> {tilewright.output}) {
  %near = memref.get_global @near : memref<64xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %first = memref.view %near[%c0][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
  %t = hier.dma_start %a[%c0] to %first : memref<64xi8>, memref<16xi8, "L1">
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%token = %t) -> (!hier.token) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %c4 : index
    %following = scf.if %more -> (!hier.token) {
      %turn = arith.remui %next, %c2 : index
      %at = arith.muli %turn, %c16 : index
      %buffer = memref.view %near[%at][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
      %offset = arith.muli %next, %c16 : index
      %u = hier.dma_start %a[%offset] to %buffer : memref<64xi8>, memref<16xi8, "L1">
      scf.yield %u : !hier.token
    } else {
      %none = hier.dma_none
      scf.yield %none : !hier.token
    }
    hier.dma_wait %token
    %turn = arith.remui %i, %c2 : index
    %at = arith.muli %turn, %c16 : index
    %buffer = memref.view %near[%at][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
    %offset = arith.muli %i, %c16 : index
    %w = hier.dma_start %c[%offset] from %buffer : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %w
    scf.yield %following : !hier.token
  }
  func.return
}

// -----

func.func @read_before_wait(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  %t = hier.dma_start %a[%c0] to %near : memref<16xi8>, memref<16xi8, "L1">
  // expected-error@+1 {{'memref.copy' reads operand 0 (%near), which a transfer still writes (rule 'race')}}
  memref.copy %near, %c : memref<16xi8, "L1"> to memref<16xi8>
  hier.dma_wait %t
  func.return
}

// -----

func.func @written_while_read(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  memref.copy %a, %near : memref<16xi8> to memref<16xi8, "L1">
  %t = hier.dma_start %c[%c0] from %near : memref<16xi8>, memref<16xi8, "L1">
  // expected-error@+1 {{'memref.copy' writes operand 1 (%near), which a transfer still reads (rule 'race')}}
  memref.copy %a, %near : memref<16xi8> to memref<16xi8, "L1">
  hier.dma_wait %t
  func.return
}

// -----

func.func @two_writers(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  %t = hier.dma_start %a[%c0] to %near : memref<16xi8>, memref<16xi8, "L1">
  // expected-error@+1 {{'hier.dma_start' writes the tile's buffer, which a transfer still writes (rule 'race')}}
  %u = hier.dma_start %a[%c0] to %near : memref<16xi8>, memref<16xi8, "L1">
  hier.dma_wait %t
  hier.dma_wait %u
  func.return
}

// -----

func.func @waited_twice(%a: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  %t = hier.dma_start %a[%c0] to %near : memref<16xi8>, memref<16xi8, "L1">
  hier.dma_wait %t
  // expected-error@+1 {{the transfer that 'hier.dma_start' began is waited for twice (rule 'token')}}
  hier.dma_wait %t
  func.return
}

// -----

func.func @never_waited(%a: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  // expected-error@+1 {{the transfer is never waited for (rule 'token')}}
  %t = hier.dma_start %a[%c0] to %near : memref<16xi8>, memref<16xi8, "L1">
  func.return
}

// -----

func.func @leaves_its_buffer(%a: memref<16xi8>) {
  %c8 = arith.constant 8 : index
  %near = memref.alloc() : memref<16xi8, "L1">
  // expected-error@+1 {{a transfer is out of bounds of its far buffer (rule 'fill')}}
  %t = hier.dma_start %a[%c8] to %near : memref<16xi8>, memref<16xi8, "L1">
  hier.dma_wait %t
  func.return
}

// -----

func.func @never_written(%c: memref<16xi8> {tilewright.output}) {
  %near = memref.alloc() : memref<16xi8>
  // expected-error@+1 {{'memref.copy' reads operand 0 (%near), which nothing has written (rule 'initialised')}}
  memref.copy %near, %c : memref<16xi8> to memref<16xi8>
  func.return
}

// -----

// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @half(%a: memref<8xi8>, %c: memref<16xi8> {tilewright.output}) {
  %half = memref.subview %c[0][8][1] : memref<16xi8> to memref<8xi8, strided<[1]>>
  memref.copy %a, %half : memref<8xi8> to memref<8xi8, strided<[1]>>
  func.return
}

// -----

memref.global "private" constant @w : memref<8xi8> = dense<1>
func.func @constant(%a: memref<8xi8>) {
  %w = memref.get_global @w : memref<8xi8>
  // expected-error@+1 {{'memref.copy' writes operand 1 (%w) (rule 'constant')}}
  memref.copy %a, %w : memref<8xi8> to memref<8xi8>
  func.return
}

// -----

memref.global "private" @arena : memref<24xi8> = uninitialized {tilewright.arena}
func.func @lifetimes(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %arena = memref.get_global @arena : memref<24xi8>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = memref.view %arena[%c0][] : memref<24xi8> to memref<16xi8>
  %y = memref.view %arena[%c8][] : memref<24xi8> to memref<16xi8>
  memref.copy %a, %x : memref<16xi8> to memref<16xi8>
  memref.copy %a, %y : memref<16xi8> to memref<16xi8>
  // expected-error@+1 {{'memref.copy' reads operand 0 (%x), which another buffer has been written over (rule 'disjoint')}}
  memref.copy %x, %c : memref<16xi8> to memref<16xi8>
  func.return
}

// -----

memref.global "private" @arena : memref<24xi8> = uninitialized {tilewright.arena}
func.func @outside(%a: memref<16xi8>) {
  %arena = memref.get_global @arena : memref<24xi8>
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{'memref.view': a view is out of bounds of its buffer (rule 'inside')}}
  %x = memref.view %arena[%c16][] : memref<24xi8> to memref<16xi8>
  memref.copy %a, %x : memref<16xi8> to memref<16xi8>
  func.return
}

// -----

func.func @on_data(%a: memref<16xi8>, %i: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.load %i[%c0] : memref<1xi32>
  %k = arith.index_cast %n : i32 to index
  %near = memref.alloc() : memref<8xi8, "L1">
  // expected-error@+1 {{operand 1 of 'hier.dma_start' depends on data (rule 'static')}}
  %t = hier.dma_start %a[%k] to %near : memref<16xi8>, memref<8xi8, "L1">
  hier.dma_wait %t
  func.return
}

// -----

// In place, and each row is made from the row before it, which is then no longer what it was.
func.func @in_place(%a: memref<9x4xi8>) {
  %rows = memref.subview %a[1, 0][8, 4][1, 1] : memref<9x4xi8> to memref<8x4xi8, strided<[4, 1], offset: 4>>
  %before = memref.subview %a[0, 0][8, 4][1, 1] : memref<9x4xi8> to memref<8x4xi8, strided<[4, 1]>>
  // expected-error@+1 {{'memref.copy' writes operand 1 (%rows) over operand 0 (%before), which it still needs (rule 'disjoint')}}
  memref.copy %before, %rows : memref<8x4xi8, strided<[4, 1]>> to memref<8x4xi8, strided<[4, 1], offset: 4>>
  func.return
}

// -----

func.func @grid_in_place(%a: memref<8x4xi8>) {
  // expected-error@+1 {{operand 0 (%a) of the grid is read after operand 1 (%a), the same memory, has been written (rule 'in-place')}}
  hier.grid (%i) in [8]
      ins(%s = %a[%i - 1, 0] [1, 4] in "L1" address 0 stages 2 fill 0 : i8 : memref<8x4xi8>)
      outs(%t = %a[%i, 0] [1, 4] in "L1" address 32 : memref<8x4xi8>) {
    memref.copy %s, %t : memref<1x4xi8, "L1"> to memref<1x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Where a view begins is computed exactly, beyond the integers that a float holds.
func.func @exact_remainder(%x: memref<4xi8>) {
  %far = arith.constant 1152921504606846977 : index
  %three = arith.constant 3 : index
  %whole = memref.alloc() {alignment = 16 : i64} : memref<6xi8>
  %at = arith.remsi %far, %three : index
  %view = memref.view %whole[%at][] : memref<6xi8> to memref<4xi8>
  memref.copy %x, %view : memref<4xi8> to memref<4xi8>
  memref.copy %view, %x : memref<4xi8> to memref<4xi8>
  func.return
}

// -----

// expected-error @+1 {{an index is divided by zero}}
func.func @divided_by_zero(%x: memref<4xi8>) {
  %four = arith.constant 4 : index
  %zero = arith.constant 0 : index
  %whole = memref.alloc() {alignment = 16 : i64} : memref<6xi8>
  %at = arith.remui %four, %zero : index
  %view = memref.view %whole[%at][] : memref<6xi8> to memref<4xi8>
  memref.copy %x, %view : memref<4xi8> to memref<4xi8>
  func.return
}
