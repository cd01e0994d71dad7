// RUN: opt-tool %s --print-op-stats -o %t 2>&1 | filecheck %s
// RUN: opt-tool %s --print-op-stats=json -o %t 2>&1 | filecheck %s --check-prefix=JSON
// RUN: opt-tool %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(print-op-stats))' -o %t 2>&1 | filecheck %s --check-prefix=FUNC

// CHECK:      {{^}}Operations encountered:
// CHECK-NEXT: {{^}}-----------------------
// CHECK-NEXT: {{^}}    arith.addi   , 2
// CHECK-NEXT: {{^}}  builtin.module , 1
// CHECK-NEXT: {{^}}     func.func   , 2
// CHECK-NEXT: {{^}}     func.return , 2

// JSON:      {{^}}{
// JSON-NEXT: {{^}}  "arith.addi" : 2,
// JSON-NEXT: {{^}}  "builtin.module" : 1,
// JSON-NEXT: {{^}}  "func.func" : 2,
// JSON-NEXT: {{^}}  "func.return" : 2
// JSON-NEXT: {{^}}}

// FUNC: func.func   , 1
// FUNC: func.func   , 1

func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  func.return %1 : i32
}
func.func @g() {
  func.return
}
