// RUN: opt-tool %s --target pim -p schedule-branches{array=4,4} | filecheck %s
// RUN: opt-tool %s --target pim -p 'schedule-branches{array=4,4 plan="%S/plan.toml"}' | filecheck %s --check-prefix=PLAN
// RUN: opt-tool %s --target pim -p 'schedule-branches{array=4,4 regular=true}' | filecheck %s --check-prefix=REGULAR
// RUN: opt-tool %s --target pim -p 'schedule-branches{array=4,4 regular=true costs="%S/costs.toml"}' | filecheck %s --check-prefix=COSTS

// By the cycles of their programs, a window in a node takes less than one in two.
// COSTS: layers = [{scheme = array<i64: 1, 1>, branches = 4 : i64, cycles = 9.000000e+02 : f64}]

// 49 rows do not divide by four: one partition a stage in equal parts, a window in each of 2 x 2 sub-arrays.
// REGULAR: layers = [{scheme = array<i64: 2, 1>, branches = 4 : i64
// REGULAR-SAME: places = array<i64: 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 2, 1>

// Four windows of 49 rows on 16 nodes: each on a row of four nodes, with the least cycles of all partitions.

// CHECK:      pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 1, 4>, branches = 4 : i64, cycles = 6.700000e+02 : f64}],
// CHECK-SAME: weights = 1.920000e+02 : f64, workspace = 1157 : i64, places = array<i64: 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0>}]
// CHECK-SAME: pim.cycles = 6.700000e+02 : f64, pim.gap = 0.000000e+00 : f64

// PLAN:     layers = [{scheme = array<i64: 2, 1>, branches = 4 : i64
// PLAN-NOT: pim.gap
module attributes {
  pim.stages = [{name = "1", channels = 8 : i64, heads = 2 : i64, blocks = 1 : i64, branches = 4 : i64, queries = 49 : i64, keys = 49 : i64,
    own_keys = 49 : i64, expansion = 4 : i64, merges = false, parts = 1 : i64}],
  pim.blocks = [{stage = 0 : i64, windows = [array<i64: 7, 7>], shifts = [array<i64: 3, 3>]}]
} {}
