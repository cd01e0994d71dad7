// RUN: opt-tool %s -p lower-affine --interpret-each --seed 1 | filecheck %s
// RUN: opt-tool %s -p lower-affine --interpret-each --seed 2 | filecheck %s

// Negative dividends, several bounds, symbols, conditions and parallel loops: the interpreter proves that results stay.

// CHECK-NOT: affine.
// CHECK: arith.floordivsi
// CHECK: arith.ceildivsi
// CHECK: scf.for
// CHECK: scf.parallel
// CHECK: scf.if
// CHECK: func.return

func.func @network(%n: index, %m: memref<10x10xi32> {tilewright.output}, %o: memref<4xindex> {tilewright.output}) {
  %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%n)
  %b = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%n)
  %c = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 3 + s0 * 2)>(%n)[%a]
  %d = affine.min affine_map<(d0)[s0] -> (d0 mod 5, 3 - s0)>(%n)[%a]
  %one = arith.constant 1 : i32
  "affine.for"(%a) <{lowerBoundMap = affine_map<() -> (1)>, upperBoundMap = affine_map<(d0) -> (d0 + 7, 8)>, step = 2 : index, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: index):
    "affine.parallel"() <{lowerBoundsMap = affine_map<() -> (0)>, lowerBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<() -> (9)>, upperBoundsGroups = dense<1> : vector<1xi32>, steps = [3 : i64], reductions = []}> ({
    ^bb1(%j: index):
      "affine.if"(%i, %j) <{condition = affine_set<(d0, d1) : (d0 - d1 - 1 >= 0, d1 mod 2 == 0)>}> ({
        %v = affine.load %m[%i + 1, %j] : memref<10x10xi32>
        %w = arith.addi %v, %one : i32
        affine.store %w, %m[%i + 1, %j floordiv 2] : memref<10x10xi32>
        "affine.yield"() : () -> ()
      }, {
        affine.store %one, %m[%i, %j] : memref<10x10xi32>
        "affine.yield"() : () -> ()
      }) : (index, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "affine.yield"() : () -> ()
  }) : (index) -> ()
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  memref.store %a, %o[%k0] : memref<4xindex>
  memref.store %b, %o[%k1] : memref<4xindex>
  memref.store %c, %o[%k2] : memref<4xindex>
  memref.store %d, %o[%k3] : memref<4xindex>
  return
}

// Vectors, loops that carry values, and empty conditions.

func.func @others(%m: memref<8xf32>, %x: f32, %n: index) -> f32 {
  %v = affine.vector_load %m[%n] : memref<8xf32>, vector<4xf32>
  affine.vector_store %v, %m[%n + 1] : memref<8xf32>, vector<4xf32>
  %r = "affine.for"(%x) <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (4)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%i: index, %a: f32):
    %s = "affine.if"() <{condition = affine_set<() : (0 == 0)>}> ({
      %t = arith.addf %a, %x : f32
      "affine.yield"(%t) : (f32) -> ()
    }, {
      "affine.yield"(%a) : (f32) -> ()
    }) : () -> f32
    "affine.yield"(%s) : (f32) -> ()
  }) : (f32) -> f32
  func.return %r : f32
}
