// RUN: opt-tool %s -p 'attach-machine{target=siracusa},convert-kernels-to-loops{row-bytes=64},annotate-unrolling,fork-kernels' | filecheck %s

// Two rows of 32 bytes a core lie 64 apart, where the banks begin again: the columns are shared, four a core.

// CHECK-LABEL: func.func private @meet_core
// CHECK:         scf.for %i0 = %c0 to %c16 step
// CHECK:           scf.for %i1 = %first to %last step
// CHECK-NOT:       tilewright.unroll
// CHECK:         hier.fork @meet_core
func.func private @meet(%x: memref<16x32xi8, "L1">, %y: memref<16x32xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x32xi8, "L1">) outs(%y : memref<16x32xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
  func.return
}

// Eight iterations a core are unrolled by four as those of the row were, where instructions in inline assembly keep the
// compiler from unrolling them wholly.

// CHECK-LABEL: func.func private @clipped_core
// CHECK:         scf.for %i0 = %c0 to %c8 step
// CHECK:           scf.for %i1 = %first to %last step
// CHECK:           } {tilewright.parallel, tilewright.unroll = 4 : i64}
func.func private @clipped(%x: memref<8x64xi8, "L1">, %y: memref<8x64xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x64xi8, "L1">) outs(%y : memref<8x64xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %0 = arith.addi %a, %a : i8
    %1 = arith.maxsi %0, %a : i8
    %2 = arith.muli %1, %a : i8
    %3 = arith.maxsi %2, %0 : i8
    %4 = arith.minsi %3, %1 : i8
    linalg.yield %4 : i8
  }
  func.return
}

// CHECK-LABEL: func.func private @short_core
// CHECK:           scf.for %i1 = %first to %last step
// CHECK-NOT:       tilewright.unroll
// CHECK:         hier.fork @short_core
func.func private @short(%x: memref<8x64xi8, "L1">, %y: memref<8x64xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x64xi8, "L1">) outs(%y : memref<8x64xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
  func.return
}

// A fill is unrolled: else it would become a call.

// CHECK-LABEL: func.func private @fill_core
// CHECK:           scf.for %i1 = %first to %last step
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      } {tilewright.parallel, tilewright.unroll = 4 : i64}
func.func private @fill(%y: memref<8x64xi8, "L1">) attributes {engine = "cluster"} {
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%y : memref<8x64xi8, "L1">)
  func.return
}

// Rows of 40 bytes begin at other banks.

// CHECK-LABEL: func.func private @apart_core
// CHECK:         scf.for %i0 = %first to %last step
func.func private @apart(%x: memref<16x40xi8, "L1">, %y: memref<16x40xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x40xi8, "L1">) outs(%y : memref<16x40xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
  func.return
}
