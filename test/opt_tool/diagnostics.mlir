// RUN: opt-tool %s --split-input-file --verify-diagnostics -p cse

func.func @dominance(%a: i32) -> i32 {
  // expected-error@+2 {{operand 1 of 'arith.addi' does not dominate its use}}
  // expected-note@+1 {{see current operation: %1 = "arith.addi"(%a, %0)}}
  %0 = arith.addi %a, %1 : i32
  // expected-note@+1 {{operand defined here (op in the same block)}}
  %1 = arith.addi %a, %a : i32
  func.return %0 : i32
}

// -----

func.func @type(%a: i32) -> i64 {
  func.return %a : i32 // expected-error {{Expected arguments to have the same types as the function output types}}
}

// -----

// expected-error@below {{is not registered}}
"nonsense.op"() : () -> ()

// -----

func.func @named(%a: i32) -> i32 {
  %0 = arith.addi %a, %1 : i32 loc("Conv_1")
  // expected-error@above {{does not dominate its use}}
  %1 = arith.addi %a, %a : i32
  func.return %0 : i32
}

// -----

func.func @good() {
  func.return
}

// -----

// expected-error@+1 {{integers have at most 16777215 bits}}
func.func @wide(%a: i2147483648) {
  func.return
}

// -----

// expected-note@+1 {{see existing symbol definition here}}
func.func @twice() {
  func.return
}
// expected-error@+1 {{redefinition of symbol named 'twice'}}
func.func @twice() {
  func.return
}

// -----

// expected-note@+1 {{defined here}}
func.func @types(%a: i32) {
  // expected-error@+1 {{operand is used with type i64}}
  %0 = arith.addi %a, %a : i64
  func.return
}

// -----

func.func @names(%a: i32) {
  // expected-note@+1 {{previously defined here}}
  %0 = arith.addi %a, %a : i32
  // expected-error@+1 {{SSA value %0 is already defined}}
  %0 = arith.addi %a, %a : i32
  func.return
}
