// RUN: opt-tool %s | opt-tool | filecheck %s

// CHECK-LABEL: emitc.func @f()
emitc.func @f() {
  %flag = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<i1>
  %no = "emitc.constant"() <{value = false}> : () -> i1
  // CHECK:      emitc.do {
  // CHECK-NEXT:   emitc.assign %no : i1 to %flag : !emitc.lvalue<i1>
  // CHECK-NEXT: } while {
  // CHECK-NEXT:   %c = emitc.load %flag : !emitc.lvalue<i1>
  // CHECK-NEXT:   emitc.yield %c : i1
  // CHECK-NEXT: }
  emitc.do {
    emitc.assign %no : i1 to %flag : !emitc.lvalue<i1>
  } while {
    %c = emitc.load %flag : !emitc.lvalue<i1>
    emitc.yield %c : i1
  }
  emitc.return
}
