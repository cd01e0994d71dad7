// RUN: opt-tool %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%x: i32) {
  // expected-error@+1 {{the op 'foo.custom' is not registered, so its custom form is unknown: write the generic form "foo.custom"}}
  foo.custom %x : i32
  return
}

// -----

// expected-error@+1 {{'#arith<...>' is not registered}}
"foo.op"() {a = #arith<"raw">} : () -> ()

// -----

// expected-error@+1 {{Unbalanced '}' in dialect symbol body}}
"foo.op"() {a = #foo<"raw"} : () -> ()
