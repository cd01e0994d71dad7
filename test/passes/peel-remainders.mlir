// RUN: opt-tool %s -p peel-remainders | filecheck %s
// RUN: opt-tool %s -p peel-remainders,convert-to-emitc -t c | filecheck %s --check-prefix=C

// CHECK-LABEL: func.func @constant
// CHECK:         %rest = arith.constant 102 : index
// CHECK-NEXT:    scf.for %i = %c2 to %rest step %c1 {
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    } {tilewright.unroll = 4 : i64}
// CHECK-NEXT:    scf.for %i{{.*}} = %rest to %c103 step %c1 {
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    } {tilewright.unroll = 1 : i64}
// CHECK-NEXT:    func.return
// C:             TW_UNROLL(4)
// C-NEXT:        for (int32_t i = 2; i < 102; ++i)
// C:             TW_UNROLL(1)
// C-NEXT:        for (int32_t i = 102; i < 103; ++i)
func.func @constant(%a: memref<103xi8>, %b: memref<103xi8>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c103 = arith.constant 103 : index
  scf.for %i = %c2 to %c103 step %c1 {
    %x = memref.load %a[%i] : memref<103xi8>
    memref.store %x, %b[%i] : memref<103xi8>
  } {tilewright.unroll = 4 : i64}
  func.return
}

// A core's share of 14 iterations, three at a time, in steps of 2.
// CHECK-LABEL: func.func @share
// CHECK:         [[KEPT:%.*]] = arith.constant 24 : index
// CHECK-NEXT:    %rest = arith.addi %first, [[KEPT]] : index
// CHECK-NEXT:    scf.for %i = %first to %rest step %c2 {
// CHECK:         } {tilewright.unroll = 3 : i64}
// CHECK-NEXT:    scf.for %i{{.*}} = %rest to %last step %c2 {
// CHECK:         } {tilewright.unroll = 1 : i64}
func.func @share(%a: memref<224xi8>, %b: memref<224xi8>, %core: index) {
  %c2 = arith.constant 2 : index
  %c28 = arith.constant 28 : index
  %first = arith.muli %core, %c28 : index
  %last = arith.addi %first, %c28 : index
  scf.for %i = %first to %last step %c2 {
    %x = memref.load %a[%i] : memref<224xi8>
    memref.store %x, %b[%i] : memref<224xi8>
  } {tilewright.unroll = 3 : i64}
  func.return
}
