// RUN: opt-tool %s -p sccp | filecheck %s
// RUN: opt-tool %s -sccp --interpret-each | filecheck %s

// A branch that is never taken has no say.
// CHECK-LABEL: func.func @network
// CHECK-NEXT: %{{.*}} = arith.constant 12 : i32
// CHECK-NOT: func.call @untouched
// CHECK: func.return %{{.*}} : i32
func.func @network(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %is = arith.cmpi slt, %c3, %c4 : i32
  %y = scf.if %is -> (i32) {
    %m = func.call @product(%c3, %c4) : (i32, i32) -> i32
    scf.yield %m : i32
  } else {
    scf.yield %x : i32
  }
  func.return %y : i32
}

// All calls give the same arguments.
// CHECK-LABEL: func.func private @product
// CHECK-NEXT: %{{.*}} = arith.constant 12 : i32
// CHECK-NEXT: func.return
func.func private @product(%a: i32, %b: i32) -> i32 {
  %m = arith.muli %a, %b : i32
  func.return %m : i32
}

// What a loop carries is a constant if it stays one.
// CHECK-LABEL: func.func @loop
// CHECK: %[[five:.*]] = arith.constant 5 : i32
// CHECK: func.return %{{.*}}, %r : i32, i32
func.func @loop(%n: index) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %z = arith.constant 0 : i32
  %same, %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c5, %t = %z) -> (i32, i32) {
    %u = arith.addi %s, %z : i32
    %v = arith.addi %t, %s : i32
    scf.yield %u, %v : i32, i32
  }
  func.return %same, %r : i32, i32
}

// Blocks: only the first edge is executable.
// CHECK-LABEL: func.func @blocks
// CHECK: ^bb1(%a
// CHECK-NEXT: %[[seven:.*]] = arith.constant 7 : i32
// CHECK-NEXT: func.return %[[seven]] : i32
func.func @blocks(%x: i32) -> i32 {
  %true = arith.constant true
  %c7 = arith.constant 7 : i32
  cf.cond_br %true, ^bb1(%c7 : i32), ^bb2
^bb1(%a: i32):
  func.return %a : i32
^bb2:
  cf.br ^bb1(%x : i32)
}

// A function that an op besides calls refers to may be called with anything.
// CHECK-LABEL: func.func private @referenced
// CHECK-NEXT: func.return %a : i32
func.func private @referenced(%a: i32) -> i32 {
  func.return %a : i32
}
// CHECK-LABEL: func.func private @named_by_a_region_op
// CHECK-NEXT: func.return %a : i32
func.func private @named_by_a_region_op(%a: i32) -> i32 {
  func.return %a : i32
}
func.func @references(%x: i32) -> (i32, i32, (i32) -> i32) {
  %c3 = arith.constant 3 : i32
  %y = func.call @referenced(%c3) : (i32) -> i32
  %z = func.call @named_by_a_region_op(%c3) : (i32) -> i32
  "scf.execute_region"() ({
    scf.yield
  }) {callback = [@named_by_a_region_op]} : () -> ()
  %f = func.constant @referenced : (i32) -> i32
  func.return %y, %z, %f : i32, i32, (i32) -> i32
}

// -0.0 is less than 0.0; an index has 64 bits, and integers any number of them.
// CHECK-LABEL: func.func @numbers
// CHECK: %m = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: %n = arith.constant 0xff800000 : f32
// CHECK-NEXT: %i = arith.constant -9223372036854775808 : index
// CHECK-NEXT: %j = arith.constant -4294967296 : i33
func.func @numbers() -> (f32, f32, index, i33) {
  %nz = arith.constant -0.0 : f32
  %pz = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = arith.minimumf %pz, %nz : f32
  %n = arith.divf %one, %m : f32
  %most = arith.constant 9223372036854775807 : index
  %c1 = arith.constant 1 : index
  %i = arith.addi %most, %c1 : index
  %high = arith.constant 4294967295 : i33
  %k1 = arith.constant 1 : i33
  %j = arith.addi %high, %k1 : i33
  func.return %m, %n, %i, %j : f32, f32, index, i33
}
