// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize{max-iterations=3},func.func(cse,cse))' --dump-pass-pipeline -o %t 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse,cse))' --timing -o %t 2>&1 | filecheck %s --check-prefix=TREE
// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse,cse))' --timing --mlir-timing-display=list -o %t 2>&1 | filecheck %s --check-prefix=LIST
// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse,cse))' --timing --mlir-timing-display=json -o %t 2>&1 | filecheck %s --check-prefix=JSON
// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse))' --log-actions-to=%t.log -o %t
// RUN: filecheck %s --check-prefix=LOG --input-file %t.log
// RUN: opt-tool %s -p canonicalize,convert-scf-to-cf --debug-only=ForLowering,fold -o %t 2>&1 | filecheck %s --check-prefix=ONLY
// RUN: not opt-tool %s -p cse --log-actions-to=%t.log/none 2>&1 | filecheck %s --check-prefix=UNWRITTEN

// DUMP:      Pass Manager with 2 passes:
// DUMP-NEXT: builtin.module(canonicalize{top-down=true region-simplify=normal max-iterations=3 {{.*}}},func.func(cse,cse))

// TREE:      {{^}}    {{.*}}%)  parse
// TREE-NEXT: {{^}}    {{.*}}%)    1  canonicalize
// TREE-NEXT: {{^}}    {{.*}}%)  'func.func' Pipeline
// TREE-NEXT: {{^}}    {{.*}}%)      2  cse
// TREE-NEXT: {{^}}    {{.*}}%)      3  cse
// TREE-NEXT: {{^}}    {{.*}}%)  verify

// LIST-NOT:  Pipeline
// LIST:      %)  cse
// LIST-NOT:  %)  cse
// LIST:      (100.0%)  Total

// JSON: "name": "'func.func' Pipeline",
// JSON-NEXT: "passes": [
// JSON: "name": "2  cse"

// LOG:      [thread opt-tool] begins (no breakpoint) Action `pass-execution` running `CanonicalizePass` on Operation `builtin.module` (builtin.module {...})
// LOG-NEXT: [thread opt-tool] begins (no breakpoint) Action `fold` (%0 = arith.addi %a, %c : i32)
// LOG-NEXT: [thread opt-tool] completed `fold`
// LOG-NEXT: [thread opt-tool] begins (no breakpoint) Action `apply-pattern pattern: SelectSamePattern (%0 = arith.select
// LOG-NEXT: [thread opt-tool] completed `apply-pattern`
// LOG-NEXT: [thread opt-tool] completed `pass-execution`
// LOG-NEXT: [thread opt-tool] begins (no breakpoint) Action `pass-execution` running `CsePass` on Operation `func.func` (func.func @f

// ONLY-NOT: `pass-execution`
// ONLY:     Action `fold` (%0 = arith.addi
// ONLY-NOT: SelectSamePattern
// ONLY:     Action `apply-pattern pattern: ForLowering (scf.for

// UNWRITTEN: error: cannot write the log '{{.*}}none': Not a directory

func.func @f(%b: i1, %a: i32, %low: index) -> i32 {
  %c = arith.constant 0 : i32
  %0 = arith.addi %a, %c : i32
  %1 = arith.select %b, %0, %a : i32
  scf.for %i = %low to %low step %low {
    "test.op"() : () -> ()
  }
  func.return %1 : i32
}
