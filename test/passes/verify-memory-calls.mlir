// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// A call is judged by the steps of its callee: %x is read before %y is written, so that they may overlap.
func.func private @by_copy(%x: memref<6xi8>, %y: memref<6xi8, strided<[1], offset: 2>>) {
  %own = memref.alloc() : memref<6xi8>
  memref.copy %x, %own : memref<6xi8> to memref<6xi8>
  memref.copy %own, %y : memref<6xi8> to memref<6xi8, strided<[1], offset: 2>>
  func.return
}
func.func @overlapping(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  %x = memref.subview %c[0] [6] [1] : memref<8xi8> to memref<6xi8>
  %y = memref.subview %c[2] [6] [1] : memref<8xi8> to memref<6xi8, strided<[1], offset: 2>>
  func.call @by_copy(%x, %y) : (memref<6xi8>, memref<6xi8, strided<[1], offset: 2>>) -> ()
  func.return
}

// -----

func.func private @at_once(%x: memref<6xi8>, %y: memref<6xi8, strided<[1], offset: 2>>) {
  // expected-error@+1 {{'memref.copy' writes operand 1 (%y) over operand 0 (%x), which it still needs (rule 'disjoint')}}
  memref.copy %x, %y : memref<6xi8> to memref<6xi8, strided<[1], offset: 2>>
  func.return
}
func.func @overlapping(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  %x = memref.subview %c[0] [6] [1] : memref<8xi8> to memref<6xi8>
  %y = memref.subview %c[2] [6] [1] : memref<8xi8> to memref<6xi8, strided<[1], offset: 2>>
  func.call @at_once(%x, %y) : (memref<6xi8>, memref<6xi8, strided<[1], offset: 2>>) -> ()
  func.return
}

// -----

// Element by element in place: each is read before it is written.
func.func private @each(%x: memref<8xi8>, %y: memref<8xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<8xi8>) outs(%y : memref<8xi8>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  func.return
}
func.func @in_place(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  func.call @each(%a, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  func.call @each(%c, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  func.return
}

// -----

func.func private @product(%x: memref<4x4xi8>, %y: memref<4x4xi8>) {
  linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      // expected-error@-2 {{'linalg.generic' writes operand 1 (%y) over operand 0 (%x), which it still needs (rule 'disjoint')}}
      ins(%x : memref<4x4xi8>) outs(%y : memref<4x4xi8>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  func.return
}
func.func @in_place(%a: memref<4x4xi8>, %c: memref<4x4xi8> {tilewright.output}) {
  func.call @product(%a, %c) : (memref<4x4xi8>, memref<4x4xi8>) -> ()
  func.call @product(%c, %c) : (memref<4x4xi8>, memref<4x4xi8>) -> ()
  func.return
}

// -----

// Halves: what a callee leaves out may be written beside it, and need not be there for one that does not read it.
func.func private @low_half(%x: memref<8xi8>, %y: memref<8xi8>) {
  %from = memref.subview %x[0] [4] [1] : memref<8xi8> to memref<4xi8>
  %to = memref.subview %y[0] [4] [1] : memref<8xi8> to memref<4xi8>
  memref.copy %from, %to : memref<4xi8> to memref<4xi8>
  func.return
}
func.func @halves(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %x = memref.alloc() : memref<8xi8>
  func.call @low_half(%a, %x) : (memref<8xi8>, memref<8xi8>) -> ()
  func.call @low_half(%x, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  %from = memref.subview %a[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
  %to = memref.subview %c[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
  memref.copy %from, %to : memref<4xi8, strided<[1], offset: 4>> to memref<4xi8, strided<[1], offset: 4>>
  func.return
}

// -----

func.func private @low_half(%x: memref<8xi8>, %y: memref<8xi8>) {
  %from = memref.subview %x[0] [4] [1] : memref<8xi8> to memref<4xi8>
  %to = memref.subview %y[0] [4] [1] : memref<8xi8> to memref<4xi8>
  memref.copy %from, %to : memref<4xi8> to memref<4xi8>
  func.return
}
// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @half(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  func.call @low_half(%a, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  func.return
}

// -----

func.func private @low_half_then_all(%x: memref<8xi8>, %own: memref<8xi8>, %y: memref<8xi8>) {
  %from = memref.subview %x[0] [4] [1] : memref<8xi8> to memref<4xi8>
  %to = memref.subview %own[0] [4] [1] : memref<8xi8> to memref<4xi8>
  memref.copy %from, %to : memref<4xi8> to memref<4xi8>
  memref.copy %own, %y : memref<8xi8> to memref<8xi8>
  func.return
}
// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @scratch(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %own = memref.alloc() : memref<8xi8>
  func.call @low_half_then_all(%a, %own, %c) : (memref<8xi8>, memref<8xi8>, memref<8xi8>) -> ()
  func.return
}

// -----

// A callee writes a global over what lies in its bytes.
memref.global "private" @arena : memref<12xi8> = uninitialized {tilewright.arena}
func.func private @into_the_arena(%x: memref<8xi8>) {
  %c4 = arith.constant 4 : index
  %arena = memref.get_global @arena : memref<12xi8>
  %y = memref.view %arena[%c4][] : memref<12xi8> to memref<8xi8>
  memref.copy %x, %y : memref<8xi8> to memref<8xi8>
  func.return
}
func.func @overwritten(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %arena = memref.get_global @arena : memref<12xi8>
  %x = memref.view %arena[%c0][] : memref<12xi8> to memref<8xi8>
  memref.copy %a, %x : memref<8xi8> to memref<8xi8>
  func.call @into_the_arena(%a) : (memref<8xi8>) -> ()
  // expected-error@+1 {{'memref.copy' reads operand 0 (%x), which another buffer has been written over (rule 'disjoint')}}
  memref.copy %x, %c : memref<8xi8> to memref<8xi8>
  func.return
}

// -----

memref.global "private" constant @weights : memref<8xi8> = dense<1>
func.func private @into_weights(%x: memref<8xi8>) {
  %w = memref.get_global @weights : memref<8xi8>
  // expected-error@+1 {{'memref.copy' writes operand 1 (%w) (rule 'constant')}}
  memref.copy %x, %w : memref<8xi8> to memref<8xi8>
  func.return
}
func.func @constant(%a: memref<8xi8>) {
  func.call @into_weights(%a) : (memref<8xi8>) -> ()
  func.return
}

// -----

// Rows at indices that the caller gives: all of them, and so the whole.
func.func private @write_row(%row: memref<8xi8>, %whole: memref<4x8xi8>, %at: index) {
  %to = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  memref.copy %row, %to : memref<8xi8> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
func.func @all_rows(%a: memref<8xi8>, %c: memref<4x8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @write_row(%a, %c, %i) : (memref<8xi8>, memref<4x8xi8>, index) -> ()
  }
  func.return
}

// -----

func.func private @write_row(%row: memref<8xi8>, %whole: memref<4x8xi8>, %at: index) {
  %to = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  memref.copy %row, %to : memref<8xi8> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @three_rows(%a: memref<8xi8>, %c: memref<4x8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @write_row(%a, %c, %i) : (memref<8xi8>, memref<4x8xi8>, index) -> ()
  }
  func.return
}

// -----

func.func private @write_row(%row: memref<8xi8>, %whole: memref<4x8xi8>, %at: index) {
  // expected-error@+1 {{'memref.subview': 'memref.subview' is out of bounds of its source along axis 0 (rule 'inside')}}
  %to = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  memref.copy %row, %to : memref<8xi8> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
func.func @beyond(%a: memref<8xi8>, %c: memref<4x8xi8> {tilewright.output}) {
  %c4 = arith.constant 4 : index
  func.call @write_row(%a, %c, %c4) : (memref<8xi8>, memref<4x8xi8>, index) -> ()
  func.return
}

// -----

// A row at an index that depends on data may be any: the others stay as they are.
func.func private @write_row(%row: memref<8xi8>, %whole: memref<4x8xi8>, %at: index) {
  %to = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  memref.copy %row, %to : memref<8xi8> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
func.func @any_row(%a: memref<8xi8>, %b: memref<4x8xi8>, %n: index, %c: memref<4x8xi8> {tilewright.output}) {
  memref.copy %b, %c : memref<4x8xi8> to memref<4x8xi8>
  func.call @write_row(%a, %c, %n) : (memref<8xi8>, memref<4x8xi8>, index) -> ()
  func.return
}

// -----

func.func private @write_row(%row: memref<8xi8>, %whole: memref<4x8xi8>, %at: index) {
  %to = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  // expected-error@+1 {{'memref.copy' reads what it may leave as it is, which nothing has written (rule 'initialised')}}
  memref.copy %row, %to : memref<8xi8> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
func.func @left_out(%a: memref<8xi8>, %n: index, %c: memref<4x8xi8> {tilewright.output}) {
  func.call @write_row(%a, %c, %n) : (memref<8xi8>, memref<4x8xi8>, index) -> ()
  func.return
}

// -----

// From one row to another one of the same buffer, which may be the same row, or not.
func.func private @move_row(%whole: memref<4x8xi8>, %at: index, %to: index) {
  %x = memref.subview %whole[%at, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  %y = memref.subview %whole[%to, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  // expected-error@+1 {{'memref.copy' writes operand 1 (%y) over operand 0 (%x), which it still needs (rule 'disjoint')}}
  memref.copy %x, %y : memref<8xi8, strided<[1], offset: ?>> to memref<8xi8, strided<[1], offset: ?>>
  func.return
}
func.func @moved(%a: memref<4x8xi8>, %n: index, %m: index) {
  func.call @move_row(%a, %n, %m) : (memref<4x8xi8>, index, index) -> ()
  func.return
}

// -----

// No transfer goes where data say.
func.func @fetched(%a: memref<4x8xi8>, %n: index) {
  %row = memref.subview %a[%n, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<8xi8, strided<[1], offset: ?>>
  %c0 = arith.constant 0 : index
  %near = memref.alloc() : memref<8xi8, "L1">
  // expected-error@+1 {{operand 0 of 'hier.dma_start' depends on data (rule 'static')}}
  %t = hier.dma_start %row[%c0] to %near : memref<8xi8, strided<[1], offset: ?>>, memref<8xi8, "L1">
  hier.dma_wait %t
  func.return
}

// -----

// Where data decide whether there is a call, it may write over what holds data already.
func.func private @fill(%x: memref<8xi8>, %y: memref<8xi8>) {
  memref.copy %x, %y : memref<8xi8> to memref<8xi8>
  func.return
}
func.func @perhaps(%a: memref<8xi8>, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  memref.copy %a, %c : memref<8xi8> to memref<8xi8>
  scf.if %b {
    func.call @fill(%a, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  }
  func.return
}

// -----

func.func private @fill(%x: memref<8xi8>, %y: memref<8xi8>) {
  memref.copy %x, %y : memref<8xi8> to memref<8xi8>
  func.return
}
// expected-error@+1 {{the output %c is not written completely (rule 'complete')}}
func.func @perhaps(%a: memref<8xi8>, %b: i1, %c: memref<8xi8> {tilewright.output}) {
  scf.if %b {
    func.call @fill(%a, %c) : (memref<8xi8>, memref<8xi8>) -> ()
  }
  func.return
}

// -----

// A call that is launched is in flight with the bytes that it touches, and no others.
func.func private @low_half(%x: memref<8xi8>, %y: memref<8xi8>) {
  %from = memref.subview %x[0] [4] [1] : memref<8xi8> to memref<4xi8>
  %to = memref.subview %y[0] [4] [1] : memref<8xi8> to memref<4xi8>
  memref.copy %from, %to : memref<4xi8> to memref<4xi8>
  func.return
}
func.func @beside(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %from = memref.subview %a[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
  %to = memref.subview %c[4] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 4>>
  %one = hier.launch {
    func.call @low_half(%a, %c) {engine = "npu"} : (memref<8xi8>, memref<8xi8>) -> ()
  }
  memref.copy %from, %to : memref<4xi8, strided<[1], offset: 4>> to memref<4xi8, strided<[1], offset: 4>>
  hier.join %one
  func.return
}

// -----

memref.global "private" @own : memref<8xi8> = uninitialized
func.func private @by_own(%x: memref<8xi8>) {
  %y = memref.get_global @own : memref<8xi8>
  memref.copy %x, %y : memref<8xi8> to memref<8xi8>
  func.return
}
func.func @beside(%a: memref<8xi8>, %c: memref<8xi8> {tilewright.output}) {
  %own = memref.get_global @own : memref<8xi8>
  %one = hier.launch {
    func.call @by_own(%a) {engine = "npu"} : (memref<8xi8>) -> ()
  }
  // expected-error@+1 {{'memref.copy' reads operand 0 (%own), which a kernel still writes (rule 'race')}}
  memref.copy %own, %c : memref<8xi8> to memref<8xi8>
  hier.join %one
  func.return
}

// -----

func.func @outer(%a: memref<8xi8>) {
  func.call @again(%a) : (memref<8xi8>) -> ()
  func.return
}
func.func private @again(%a: memref<8xi8>) {
  // expected-error@+1 {{the function 'again' calls itself (rule 'static')}}
  func.call @again(%a) : (memref<8xi8>) -> ()
  func.return
}

// -----

func.func @one(%a: memref<8xi8>) {
  func.call @two(%a) : (memref<8xi8>) -> ()
  func.return
}
func.func @two(%a: memref<8xi8>) {
  // expected-error@+1 {{the function 'one' calls itself (rule 'static')}}
  func.call @one(%a) : (memref<8xi8>) -> ()
  func.return
}
