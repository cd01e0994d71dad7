// RUN: opt-tool %s --verify-diagnostics

emitc.func @f() {
  // expected-error@+1 {{the condition yields one i1}}
  emitc.do {
  } while {
  }
  emitc.return
}
