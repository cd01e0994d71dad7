// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// What is read at every point has been written at the end of those before.

func.func @in_place(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8>) {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{operand 2 (%o) of the grid is read after operand 3 (%o), the same memory, has been written (rule 'in-place')}}
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>,
          %tr = %o[0, 0] [2, 4] : memref<4x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32,
              %old : memref<2x4xi8, "L1"> address 64) {
    memref.copy %tr, %old : memref<2x4xi8, strided<[4, 1], offset: ?>> to memref<2x4xi8, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%sum : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.last %k {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%sum, %old : memref<2x4xi32, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi8, strided<[4, 1], offset: ?>>) {
      ^bb1(%x: i32, %r: i8, %y: i8):
        %n = arith.trunci %x : i32 to i8
        %m = arith.addi %n, %r : i8
        linalg.yield %m : i8
      }
    }
    hier.yield
  }
  func.return
}

// -----

// One kernel reads an element that it writes at another point.

func.func @transposed(%s: memref<2x2xi32>) {
  // expected-error @+1 {{'linalg.generic' writes operand 1 (%s) over operand 0 (%s), which it still needs (rule 'disjoint')}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<2x2xi32>) outs(%s : memref<2x2xi32>) {
  ^bb0(%p: i32, %o: i32):
    %r = arith.subi %p, %o : i32
    linalg.yield %r : i32
  }
  return
}

// -----

// A sum reads its target at each step.

func.func @summed(%m: memref<2x3xi32>, %v: memref<2xi32>) {
  // expected-error @+1 {{'linalg.generic' writes operand 2 (%v) over operand 1 (%v), which it still needs (rule 'disjoint')}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%m, %v : memref<2x3xi32>, memref<2xi32>) outs(%v : memref<2xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %r = arith.muli %p, %q : i32
    %s = arith.addi %r, %o : i32
    linalg.yield %s : i32
  }
  return
}
