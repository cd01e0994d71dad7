// RUN: not opt-tool %s -p canonicalise,cse 2>&1 | filecheck %s --check-prefix=CHECK-PASS
// CHECK-PASS: pass pipeline:1: error: no pass 'canonicalise'
// CHECK-PASS-NEXT: {{^}}  canonicalise,cse
// CHECK-PASS-NEXT: {{^}}  ^
// CHECK-PASS-NEXT: remedy:     did you mean 'canonicalize'

// RUN: not opt-tool %s --pass-pipeline='builtin.module(cse,dce{x=1})' 2>&1 | filecheck %s --check-prefix=CHECK-OPTION
// CHECK-OPTION: pass pipeline:24: error: 'dce' has no option 'x'
// CHECK-OPTION-NEXT: {{^}}  builtin.module(cse,dce{x=1})
// CHECK-OPTION-NEXT: {{^}}                         ^

// RUN: not opt-tool %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,big}' 2>&1 \
// RUN:   | filecheck %s --check-prefix=CHECK-TYPE
// CHECK-TYPE: error: the option 'parallel-loop-tile-sizes' of 'scf-parallel-loop-tiling' has the wrong type
// CHECK-TYPE: expected:   a list of: an integer
// CHECK-TYPE-NEXT: found:      4,big

// RUN: not opt-tool %s -p 'func.fun(cse)' 2>&1 | filecheck %s --check-prefix=CHECK-ANCHOR
// CHECK-ANCHOR: error: no op 'func.fun'
// CHECK-ANCHOR: did you mean 'func.func'

// RUN: not opt-tool %s -p cse,dce,cse --stop-after=cse 2>&1 | filecheck %s --check-prefix=CHECK-TWICE
// CHECK-TWICE: error: --stop-after=cse: 'cse' occurs 2 times
// CHECK-TWICE-NEXT: expected:   cse#1, cse#2

// RUN: not opt-tool %s -p cse,dce --start-at=dec 2>&1 | filecheck %s --check-prefix=CHECK-START
// CHECK-START: error: --start-at=dec: the pipeline has no phase or pass 'dec'
// CHECK-START: did you mean 'dce'

// RUN: not opt-tool %s -t klingon 2>&1 | filecheck %s --check-prefix=CHECK-FORMAT
// CHECK-FORMAT: -t: error: no output format 'klingon'

// RUN: not opt-tool %s --csee 2>&1 | filecheck %s --check-prefix=CHECK-FLAG
// CHECK-FLAG: error: no option '--csee'
// CHECK-FLAG: remedy:     did you mean '--cse'

// RUN: not opt-tool %s --verify-eahc 2>&1 | filecheck %s --check-prefix=CHECK-TYPO
// CHECK-TYPO: error: no option '--verify-eahc'
// CHECK-TYPO: remedy:     did you mean '--verify-each'

// RUN: not opt-tool %s --cse -p dce 2>&1 | filecheck %s --check-prefix=CHECK-BOTH
// CHECK-BOTH: error: the passes are given twice, by -p and by a flag

// RUN: not opt-tool %s --verify-diagnostics=some 2>&1 | filecheck %s --check-prefix=CHECK-CHOICE
// CHECK-CHOICE: error: argument --verify-diagnostics: invalid choice: 'some'

// RUN: not opt-tool %s --split-input-file= 2>&1 | filecheck %s --check-prefix=CHECK-MARK
// CHECK-MARK: error: argument --split-input-file: expected the text of a line, found none

// RUN: not opt-tool %s --plan-memory='no-such=1' 2>&1 | filecheck %s --check-prefix=CHECK-FLAG-OPTION
// CHECK-FLAG-OPTION: 'plan-memory' has no option 'no-such'

// RUN: not opt-tool %t.missing 2>&1 | filecheck %s --check-prefix=CHECK-MISSING
// CHECK-MISSING: .missing: error: the input cannot be read: No such file or directory

func.func @f() {
  func.return
}
