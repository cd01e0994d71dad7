// RUN: opt-tool %s -p 'canonicalize{max-iterations=4}' --mlir-generate-reproducer=%t.generated | filecheck %s --check-prefix=RESULT
// RUN: filecheck %s --check-prefix=GENERATED --input-file %t.generated
// RUN: opt-tool %t.generated --run-reproducer | filecheck %s --check-prefix=RESULT

// RUN: not opt-tool %s -p 'cse,canonicalize{test-convergence max-iterations=1},dce' --verify-each=false --mlir-pass-pipeline-crash-reproducer=%t.crash 2>&1 \
// RUN:   | filecheck %s --check-prefix=ERROR
// RUN: filecheck %s --check-prefix=CRASH --input-file %t.crash
// RUN: not opt-tool %t.crash --run-reproducer 2>&1 | filecheck %s --check-prefix=AGAIN

// RUN: not opt-tool %s -p 'dce,canonicalize{test-convergence max-iterations=1}' --mlir-pass-pipeline-crash-reproducer=%t.local --mlir-pass-pipeline-local-reproducer
// RUN: filecheck %s --check-prefix=LOCAL --input-file %t.local
// RUN: not opt-tool %s -p dce --mlir-pass-pipeline-local-reproducer 2>&1 | filecheck %s --check-prefix=USAGE

// The metadata of this file is mlir-opt 19's, and goes before the RUN lines.
// RUN: opt-tool %s --run-reproducer | filecheck %s --check-prefix=READ

// RESULT:   func.func @f(%b: i1, %a: i32) -> i32 {
// RESULT-NOT: arith

// GENERATED:      arith.select
// GENERATED:      dialect_resources: {
// GENERATED:      },
// GENERATED-NEXT: external_resources: {
// GENERATED-NEXT:   mlir_reproducer: {
// GENERATED-NEXT:     pipeline: "builtin.module(canonicalize{max-iterations=4})",
// GENERATED-NEXT:     disable_threading: true,
// GENERATED-NEXT:     verify_each: true

// ERROR: [canonicalize, pass 2 of 3] canonicalization does not converge
// ERROR: reproducer: {{.*}}.crash

// CRASH:      arith.select
// CRASH:      pipeline: "builtin.module(cse,canonicalize{max-iterations=1 test-convergence=true},dce)",
// CRASH-NEXT: disable_threading: true,
// CRASH-NEXT: verify_each: false

// AGAIN: [canonicalize, pass 2 of 3] canonicalization does not converge

// LOCAL:      func.func @f
// LOCAL-NOT:  resource
// LOCAL:      arith.select
// LOCAL:      pipeline: "builtin.module(canonicalize{max-iterations=1 test-convergence=true})",

// USAGE: --mlir-pass-pipeline-local-reproducer is of use with --mlir-pass-pipeline-crash-reproducer only

// READ:      func.func @f(%b: i1, %a: i32) -> i32 {
// READ-NEXT: arith.select

func.func @f(%b: i1, %a: i32) -> i32 {
  %k = arith.constant dense_resource<blob> : tensor<1xi32>
  %0 = arith.select %b, %a, %a : i32
  func.return %0 : i32
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000"
    }
  },
  external_resources: {
    other_tool: {
      key: "0x0400000001000000",
      flag: true
    },
    mlir_reproducer: {
      pipeline: "builtin.module(any(cse, canonicalize{  max-iterations=0 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}))",
      disable_threading: false,
      verify_each: false
    }
  }
#-}
