// RUN: not opt-tool %s --target pim -p schedule-branches 2>&1 | filecheck %s

// CHECK: error: [schedule-branches, pass 1 of 1] 'heads' of a stage is out of range
// CHECK: found: 0
module attributes {
  pim.stages = [{name = "1", channels = 8 : i64, heads = 0 : i64, blocks = 1 : i64, branches = 4 : i64, queries = 49 : i64, keys = 49 : i64,
    own_keys = 49 : i64, expansion = 4 : i64, merges = false, parts = 1 : i64}]
} {}
