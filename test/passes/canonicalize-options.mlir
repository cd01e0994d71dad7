// RUN: opt-tool %s -p 'canonicalize{disable-patterns=SelectConstPattern}' | filecheck %s --check-prefix=PART
// RUN: opt-tool %s -p 'canonicalize{enable-patterns=[SelectSamePattern]}' | filecheck %s --check-prefix=PART
// RUN: opt-tool %s -p 'canonicalize{max-num-rewrites=1 max-iterations=1}' | filecheck %s --check-prefix=ONE
// RUN: opt-tool %s -p 'canonicalize{top-down=false region-simplify=disabled}' | filecheck %s --check-prefix=ALL
// RUN: opt-tool %s -p 'canonicalize{test-convergence}' | filecheck %s --check-prefix=ALL
// RUN: not opt-tool %s -p 'canonicalize{test-convergence max-iterations=1}' 2>&1 | filecheck %s --check-prefix=DIVERGES
// RUN: not opt-tool %s -p 'canonicalize{region-simplify=aggressive}' 2>&1 | filecheck %s --check-prefix=AGGRESSIVE

// PART:      func.func @constant
// PART:      arith.select
// PART:      func.func @same
// PART-NEXT: func.return %a : i32

// ONE:      func.func @constant
// ONE-NEXT: func.return %a : i32
// ONE:      func.func @same
// ONE-NEXT: arith.select

// ALL:      func.func @constant
// ALL-NEXT: func.return %a : i32
// ALL:      func.func @same
// ALL-NEXT: func.return %a : i32

// DIVERGES:      error: [canonicalize, pass 1 of 1] canonicalization does not converge
// DIVERGES-NEXT: expected:   no change in the last iteration
// DIVERGES-NEXT: found:      changes in iteration 1
// DIVERGES-NEXT: remedy:     allow more iterations with max-iterations

// AGGRESSIVE:      error: the option 'region-simplify' of 'canonicalize' has the wrong type
// AGGRESSIVE:      expected:   one of disabled, normal
// AGGRESSIVE-NEXT: found:      aggressive

func.func @constant(%a: i32, %b: i32) -> i32 {
  %true = arith.constant true
  %0 = arith.select %true, %a, %b : i32
  func.return %0 : i32
}

func.func @same(%c: i1, %a: i32) -> i32 {
  %0 = arith.select %c, %a, %a : i32
  func.return %0 : i32
}
