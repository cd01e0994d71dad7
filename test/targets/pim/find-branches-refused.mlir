// RUN: opt-tool %S/find-branches-windows.mlir --target pim -p find-branches | filecheck %s

// RUN: not opt-tool %S/find-branches-windows.mlir --target pim -p find-branches,schedule-branches 2>&1 | filecheck %s --check-prefix=ALONE

// A block with branches of two sizes has no stage; its products have the position of the reason.

// CHECK:      pim.stages = [], pim.blocks = []
// CHECK-SAME: pim.refused = [{at = "{{.*}}find-branches-windows.mlir:{{.*}}", reason = "branches of a block are unequal",
// CHECK-SAME: expected = "as many queries, keys and heads in each branch", found = "branches of 4 x 4, 1 heads and 2 x 2, 1 heads",
// CHECK-SAME: remedy = "pad the image to a multiple of the window"}]
// CHECK-NOT:  pim.block =
// CHECK:      transpose_b, pim.refused = 0 : i64
// CHECK-NOT:  pim.phase

// ALONE: error: [schedule-branches, pass 2 of 2] no block of the network has a stage to schedule, the first for this reason: branches of a block are unequal
// ALONE: found: 1 refused blocks, see 'pim.refused' of the module
// ALONE: remedy: lower its kernels with shard-kernels
func.func @unused() {
  func.return
}
