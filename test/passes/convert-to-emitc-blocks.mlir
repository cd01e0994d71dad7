// RUN: opt-tool %s --split-input-file -p convert-to-emitc -t c | filecheck %s
// RUN: opt-tool %s --split-input-file -p convert-to-emitc | opt-tool --split-input-file -t c | filecheck %s

// Arguments of blocks are variables, which a branch assigns; one that exchanges two of them reads both before. The block
// that follows in the text needs no goto, and one that no branch reaches is dropped, with the function that it calls.
// CHECK-NOT:  never
// CHECK:      void collatz_run(const int32_t a[8], int32_t out[2]) {
// CHECK-NEXT:     int64_t i;
// CHECK-NEXT:     int32_t x;
// CHECK-NEXT:     int32_t y;
// CHECK-NEXT:     i = INT64_C(0);
// CHECK-NEXT:     x = 3;
// CHECK-NEXT:     y = 5;
// CHECK-NEXT: block1:;
// CHECK-NEXT:     const int64_t i_1 = i;
// CHECK-NEXT:     const int32_t x_1 = x;
// CHECK-NEXT:     const int32_t y_1 = y;
// CHECK-NEXT:     if (!(i_1 < INT64_C(8))) goto block2;
// CHECK-NEXT:     i = (int64_t)((uint64_t)i_1 + UINT64_C(1));
// CHECK-NEXT:     x = y_1;
// CHECK-NEXT:     y = (int32_t)((uint32_t)x_1 + (uint32_t)a[(int32_t)i_1]);
// CHECK-NEXT:     goto block1;
// CHECK-NEXT: block2:;
// CHECK-NEXT:     out[0] = x_1;
// CHECK-NEXT:     out[1] = y_1;
// CHECK-NEXT: }
func.func @collatz(%a: memref<8xi32>, %out: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  cf.br ^head(%c0, %three, %five : index, i32, i32)
^head(%i: index, %x: i32, %y: i32):
  %more = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %more, ^body, ^exit
^body:
  %v = memref.load %a[%i] : memref<8xi32>
  %sum = arith.addi %x, %v : i32
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next, %y, %sum : index, i32, i32)
^unreachable:
  func.call @never() : () -> ()
  cf.br ^exit
^exit:
  memref.store %x, %out[%c0] : memref<2xi32>
  memref.store %y, %out[%c1] : memref<2xi32>
  func.return
}

func.func private @never() {
  func.return
}

// -----

// A switch is a comparison for each case; an operand of a branch is assigned on the way to the block.
// CHECK:      int32_t choose_run(int32_t flag, int32_t a) {
// CHECK-NEXT:     int32_t r;
// CHECK-NEXT:     const bool v = (uint32_t)flag == 7u;
// CHECK-NEXT:     if ((uint32_t)flag == 4294967295u) goto block2;
// CHECK-NEXT:     if (!v) goto block1;
// CHECK-NEXT:     r = 1;
// CHECK-NEXT:     goto block3;
// CHECK-NEXT: block1:;
// CHECK-NEXT:     r = a;
// CHECK-NEXT:     goto block3;
// CHECK-NEXT: block2:;
// CHECK-NEXT:     return flag;
// CHECK-NEXT: block3:;
// CHECK-NEXT:     return r;
func.func @choose(%flag: i32, %a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  cf.switch %flag : i32, [
    default: ^join(%a : i32),
    -1: ^early,
    7: ^join(%c1 : i32)
  ]
^early:
  func.return %flag : i32
^join(%r: i32):
  func.return %r : i32
}

// -----

// A region of several blocks is a block of C, behind which there is a label.
// CHECK:      int32_t inside_run(bool c, int32_t a) {
// CHECK-NEXT:     int32_t r;
// CHECK-NEXT:     {
// CHECK-NEXT:         if (!c) goto block2;
// CHECK-NEXT:         r = a;
// CHECK-NEXT:         goto block1;
// CHECK-NEXT:     block2:;
// CHECK-NEXT:         r = (int32_t)((uint32_t)a + 1u);
// CHECK-NEXT:     }
// CHECK-NEXT: block1:;
// CHECK-NEXT:     return r;
func.func @inside(%c: i1, %a: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    cf.cond_br %c, ^yes, ^no
  ^yes:
    scf.yield %a : i32
  ^no:
    %one = arith.constant 1 : i32
    %b = arith.addi %a, %one : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}

// -----

// Both branches assign the argument, although they pass the same.
// CHECK:      float same_run(bool c, float a, float out[1]) {
// CHECK-NEXT:     float r;
// CHECK-NEXT:     if (!c) goto block1;
// CHECK-NEXT:     out[0] = a;
// CHECK-NEXT:     r = a;
// CHECK-NEXT:     goto block2;
// CHECK-NEXT: block1:;
// CHECK-NEXT:     r = a;
// CHECK-NEXT: block2:;
// CHECK-NEXT:     return r;
func.func @same(%c: i1, %a: f32, %out: memref<1xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^left, ^right
^left:
  memref.store %a, %out[%c0] : memref<1xf32>
  cf.br ^join(%a : f32)
^right:
  cf.br ^join(%a : f32)
^join(%r: f32):
  func.return %r : f32
}
