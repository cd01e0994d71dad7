// RUN: opt-tool %s --split-input-file --allow-unregistered-dialect --verify-diagnostics

// A function's ops have an order, also within a module, in an op of the function and beside a graph region.

func.func @f() {
  // expected-error@+1 {{operand 0 of 'a.use' does not dominate its use}}
  "a.use"(%0) : (i32) -> ()
  %0 = "a.def"() : () -> i32
  func.return
}

// -----

func.func @f() {
  "a.graph"() ({
    // expected-error@+1 {{operand 0 of 'a.use' does not dominate its use}}
    "a.use"(%0) : (i32) -> ()
  }) : () -> ()
  %0 = "a.def"() : () -> i32
  func.return
}

// -----

// A region of several blocks has dominance.
"a.blocks"() ({
  "a.jump"()[^next] : () -> ()
^next:
  // expected-error@+1 {{operand 0 of 'a.use' does not dominate its use}}
  "a.use"(%0) : (i32) -> ()
  %0 = "a.def"() : () -> i32
  "a.jump"()[^next] : () -> ()
}) : () -> ()

// -----

%condition = arith.constant true
scf.if %condition {
  // expected-error@+1 {{operand 0 of 'a.use' does not dominate its use}}
  "a.use"(%0) : (i32) -> ()
  %0 = "a.def"() : () -> i32
  scf.yield
}
