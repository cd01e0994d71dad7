// RUN: opt-tool %s -p 'attach-machine{target=siracusa},convert-kernels-to-loops{row-bytes=64},annotate-unrolling,fork-kernels' | filecheck %s

// Two rows of 32 bytes a core lie 64 apart, where the banks begin again: the columns are shared, four a core.

// CHECK-LABEL: func.func private @meet_core
// CHECK:         scf.for %i0 = %c0 to %c16 step
// CHECK:           scf.for %i1 = %first to %last step
// CHECK-NOT:       tilewright.unroll
// CHECK:         cluster.fork @meet_core
func.func private @meet(%x: memref<16x32xi8, "L1">, %y: memref<16x32xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<16x32xi8, "L1">) outs(%y : memref<16x32xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
  func.return
}

// Eight columns a core are unrolled by four as the row was.

// CHECK-LABEL: func.func private @unrolled_core
// CHECK:         scf.for %i0 = %c0 to %c8 step
// CHECK:           scf.for %i1 = %first to %last step
// CHECK:           } {tilewright.parallel, tilewright.unroll = 4 : i64}
func.func private @unrolled(%x: memref<8x64xi8, "L1">, %y: memref<8x64xi8, "L1">) attributes {engine = "cluster"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x64xi8, "L1">) outs(%y : memref<8x64xi8, "L1">) {
  ^bb0(%a: i8, %b: i8):
    %s = arith.addi %a, %a : i8
    linalg.yield %s : i8
  }
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
