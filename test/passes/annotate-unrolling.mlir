// RUN: opt-tool %s -p annotate-unrolling | filecheck %s
// RUN: opt-tool %s -p annotate-unrolling{factor=2} | filecheck %s --check-prefix=TWO
// RUN: opt-tool %s -p annotate-unrolling,convert-to-emitc -t c | filecheck %s --check-prefix=C

// CHECK-LABEL: func.func @add
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           } {tilewright.unroll = 4 : i64}
// CHECK-NEXT:    }
// TWO:             } {tilewright.unroll = 2 : i64}
// C:               TW_UNROLL(4)
// C-NEXT:          for (
func.func @add(%a: memref<6x64xi8>, %b: memref<6x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %x = memref.load %a[%i, %j] : memref<6x64xi8>
      %y = arith.addi %x, %x overflow<nsw> : i8
      memref.store %y, %b[%i, %j] : memref<6x64xi8>
    }
  }
  func.return
}
