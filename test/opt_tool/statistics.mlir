// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse,canonicalize),cse)' --mlir-pass-statistics -o %t 2>&1 \
// RUN:   | filecheck %s --check-prefix=PIPELINE
// RUN: opt-tool %s --pass-pipeline='builtin.module(canonicalize,func.func(cse,canonicalize),cse)' --mlir-pass-statistics \
// RUN:   --mlir-pass-statistics-display=list -o %t 2>&1 | filecheck %s --check-prefix=LIST
// RUN: opt-tool %s --load-pass %S/counting_pass.py -p count-constants,dce --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=OWN
// RUN: not opt-tool %s -p 'cse{replaced=1}' 2>&1 | filecheck %s --check-prefix=OPTION

// PIPELINE:      ... Pass statistics report ...
// PIPELINE:      {{^}}canonicalize
// PIPELINE-NEXT: {{^}}  (S) 2 num-dce'd     - Number of dead operations erased
// PIPELINE-NEXT: {{^}}  (S) 1 num-folded    - Number of operations folded
// PIPELINE-NEXT: {{^}}  (S) 0 num-rewritten - Number of patterns applied
// PIPELINE-NEXT: {{^}}'func.func' Pipeline
// PIPELINE-NEXT: {{^}}  cse
// PIPELINE-NEXT: {{^}}    (S) 1 num-cse'd - Number of operations CSE'd
// PIPELINE-NEXT: {{^}}    (S) 0 num-dce'd - Number of operations DCE'd
// PIPELINE-NEXT: {{^}}  canonicalize
// PIPELINE:      {{^}}cse
// PIPELINE-NEXT: {{^}}  (S) 0 num-cse'd

// LIST:      {{^}}  canonicalize
// LIST-NEXT: {{^}}    (S) 2 num-dce'd
// LIST-NEXT: {{^}}    (S) 1 num-folded
// LIST:      {{^}}  cse
// LIST-NEXT: {{^}}    (S) 1 num-cse'd
// LIST-NEXT: {{^}}    (S) 0 num-dce'd

// OWN:      {{^}}count-constants
// OWN-NEXT: {{^}}  (S) 2 constants - constants that were there
// OWN-NEXT: {{^}}dce

// OPTION: 'cse' has no option 'replaced'

func.func @f(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.muli %2, %c1 : i32
  func.return %3 : i32
}
