// RUN: not opt-tool %s --target pim -p schedule-branches 2>&1 | filecheck %s
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{array=2,2 node-bytes=5000}' 2>&1 | filecheck %s --check-prefix=UNFIT
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{seconds=0.0}' 2>&1 | filecheck %s --check-prefix=TIME
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{seconds=-1.0}' 2>&1 | filecheck %s --check-prefix=LIMIT
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{plan="%S/plan.toml"}' 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{costs="%S/costs.toml"}' 2>&1 | filecheck %s --check-prefix=IRREGULAR
// RUN: not opt-tool %S/schedule-branches-unfit.mlir --target pim -p 'schedule-branches{regular=true costs="%S/costs.toml"}' 2>&1 | filecheck %s --check-prefix=COSTS

// IRREGULAR: costs of programs are for schedules that programs follow
// IRREGULAR: remedy: schedule with schedule-branches{regular=true costs=FILE}
// COSTS: costs.toml: error: [schedule-branches, pass 1 of 1] the costs are of another network
// CHECK: error: [schedule-branches, pass 1 of 1] the network has no attention, and so no stages to schedule
// UNFIT: weights and workspace take {{[0-9]+}} bytes more than a node has
// UNFIT: remedy: nodes of at least {{[0-9]+}} bytes, or share the weights of stage 1 among {{[0-9]+}} nodes instead of 4
// TIME: no schedule was found in time
// TIME: expected: one in 0 s
// LIMIT: a limit is out of range
// OTHER: plan.toml: error: [schedule-branches, pass 1 of 1] the schedule is of another network
// OTHER: expected: name = 1, channels = 32, heads = 2, branches = 4
// OTHER: found: name = 1, channels = 8, heads = 2, branches = 4
module attributes {pim.stages = []} {}
