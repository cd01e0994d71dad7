// RUN: opt-tool %s --syntax-highlight | filecheck %s
// RUN: opt-tool %s --syntax-highlight --mlir-print-ir-after-all -p canonicalize 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: opt-tool %s | filecheck %s --check-prefix=PLAIN

// CHECK: [95m%x[0m, [95m%0[0m = "test.op"() : () -> (i32, i32)
// CHECK: "test.op"([95m%x[0m, [95m%0[0m) : (i32, i32) -> ()
// DUMP:  IR Dump After
// DUMP:  [95m%x[0m
// PLAIN: %x, %0 = "test.op"() : () -> (i32, i32)

%x, %0 = "test.op"() : () -> (i32, i32)
"test.op"(%x, %0) : (i32, i32) -> ()
