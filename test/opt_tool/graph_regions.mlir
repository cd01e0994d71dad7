// RUN: opt-tool %s --allow-unregistered-dialect | filecheck %s
// RUN: opt-tool %s --allow-unregistered-dialect -p canonicalize,cse,fold-constants | filecheck %s --check-prefix=CHECK-RUNS

// In a graph region a value may be used before it is defined: in a module, and in ops that are not registered.

// CHECK: "a.use"(%[[A:.*]]) : (i32) -> ()
// CHECK: %[[A]] = "a.def"() : () -> i32
// CHECK-RUNS: "a.use"(%[[A:.*]]) : (i32) -> ()
// CHECK-RUNS: %[[A]] = "a.def"() : () -> i32
"a.use"(%a) : (i32) -> ()
%a = "a.def"() : () -> i32

// CHECK: %[[B:.*]] = "a.cycle"(%[[B]]) : (i32) -> i32
%b = "a.cycle"(%b) : (i32) -> i32

// CHECK: scf.if
// CHECK-NEXT: "a.use"(%[[C:.*]]) : (i32) -> ()
// CHECK: %[[C]] = "a.later"() : () -> i32
%condition = arith.constant true
scf.if %condition {
  "a.use"(%c) : (i32) -> ()
  scf.yield
}
%c = "a.later"() : () -> i32

// CHECK: func.func @f
// CHECK: "a.graph"() ({
// CHECK-NEXT: "a.use"(%[[D:.*]], %{{.*}}) : (i32, i32) -> ()
// CHECK-NEXT: %[[D]] = "a.def"
func.func @f(%x: i32) {
  "a.graph"() ({
    "a.use"(%d, %x) : (i32, i32) -> ()
    %d = "a.def"() : () -> i32
  }) : () -> ()
  func.return
}

// CHECK: func.func @e_graph
// CHECK-NEXT: %[[CLASS:.*]] = equivalence.class %{{.*}}, %[[PRODUCT:.*]] : i32
// CHECK-NEXT: %[[PRODUCT]] = arith.muli %[[CLASS]], %[[CLASS]] : i32
func.func @e_graph(%x: i32) -> i32 {
  %class = equivalence.class %x, %product : i32
  %product = arith.muli %class, %class : i32
  func.return %class : i32
}
