// RUN: not opt-tool %s -p test-add-timers-to-top-level-funcs 2>&1 | filecheck %s

// CHECK: pass 'test-add-timers-to-top-level-funcs' of xDSL does not support this program
// CHECK: its result does not verify: 'func.call' does not verify
func.func private @callee(%x: i32) -> i32 {
  func.return %x : i32
}
func.func @network(%x: i32) -> i32 {
  %r = func.call @callee(%x) : (i32) -> i32
  func.return %r : i32
}
