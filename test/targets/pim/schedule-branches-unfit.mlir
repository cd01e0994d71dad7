// RUN: opt-tool %s --target pim -p schedule-branches{array=4,4} | filecheck %s

// Weights of 12 KiB, which four nodes of 5000 bytes do not hold beside the workspace.

// CHECK: pim.schedule
module attributes {
  pim.stages = [{name = "1", channels = 32 : i64, heads = 2 : i64, blocks = 1 : i64, branches = 4 : i64, queries = 16 : i64, keys = 16 : i64,
    own_keys = 16 : i64, expansion = 4 : i64, merges = false, parts = 1 : i64}]
} {}
