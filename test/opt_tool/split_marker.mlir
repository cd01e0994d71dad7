// RUN: opt-tool %s --split-input-file='// ====' --output-split-marker='// next' | filecheck %s
// RUN: not opt-tool %s --split-input-file="// ====" --verify-diagnostics=only-expected %s.none 2>&1 | filecheck %s --check-prefix=TWO

// CHECK: func.func @a
// CHECK: // next
// CHECK: func.func @b
// TWO: there is a second input

func.func @a() {
  func.return
}
// ====
func.func @b() {
  func.return
}
