// RUN: not opt-tool %s -p pack-narrow-weights 2>&1 | filecheck %s

// CHECK:      the module has no machine
// CHECK-NEXT: expected:   the attribute hier.machine

func.func @network() {
  func.return
}
