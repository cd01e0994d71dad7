// RUN: opt-tool %s -p convert-index-to-arith --interpret-each --seed 1 | filecheck %s
// RUN: opt-tool %s -p convert-index-to-arith --interpret-each --seed 2 | filecheck %s
// RUN: opt-tool %s -p convert-index-to-arith,convert-to-emitc -t c | filecheck %s --check-prefix=C

// Signed and unsigned readings of negative indices: the interpreter proves that results stay.

// CHECK-NOT: index.
// CHECK: arith.constant -7 : index
// CHECK: arith.ceildivsi
// CHECK: arith.floordivsi
// CHECK: arith.cmpi ult
// CHECK: arith.index_castui
// C: network_run

func.func @network(%n: i8, %m: memref<8xi64> {tilewright.output}) {
  %a = index.casts %n : i8 to index
  %b = index.constant -7
  %one = index.constant 1
  %0 = index.ceildivs %a, %b
  %1 = index.floordivs %a, %b
  %2 = index.rems %a, %b
  %3 = index.shrs %b, %one
  %4 = index.maxu %a, %b
  %5 = index.mins %4, %a
  %low = index.cmp ult(%a, %b)
  %6 = arith.select %low, %2, %3 : index
  %u = index.castu %n : i8 to index
  %size = index.sizeof
  %7 = index.add %u, %size
  %k0 = index.constant 0
  %k1 = index.add %k0, %one
  %k2 = index.add %k1, %one
  %k3 = index.add %k2, %one
  %k4 = index.add %k3, %one
  %v0 = index.casts %0 : index to i64
  %v1 = index.casts %1 : index to i64
  %v2 = index.casts %5 : index to i64
  %v3 = index.casts %6 : index to i64
  %v4 = index.castu %7 : index to i64
  memref.store %v0, %m[%k0] : memref<8xi64>
  memref.store %v1, %m[%k1] : memref<8xi64>
  memref.store %v2, %m[%k2] : memref<8xi64>
  memref.store %v3, %m[%k3] : memref<8xi64>
  memref.store %v4, %m[%k4] : memref<8xi64>
  func.return
}
