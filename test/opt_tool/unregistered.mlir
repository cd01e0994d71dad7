// RUN: opt-tool %s --allow-unregistered-dialect | filecheck %s
// RUN: opt-tool %s --allow-unregistered-dialect | opt-tool --allow-unregistered-dialect | filecheck %s

// Attributes and types of an unknown dialect may have any text.

// CHECK: "foo.op"() {a = #foo<"raw">, b = !foo<"raw">, c = #foo<3 : i32, [<x>]>, d = !foo<>} : () -> ()
"foo.op"() {a = #foo<"raw">, b = !foo<"raw">, c = #foo<3 : i32, [<x>]>, d = !foo<>} : () -> ()
// CHECK: "foo.op"() {a = #foo<name "raw">, b = #foo.name<1>, c = !foo.name} : () -> ()
"foo.op"() {a = #foo<name "raw">, b = #foo.name<1>, c = !foo.name} : () -> ()
