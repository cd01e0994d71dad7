// RUN: opt-tool %s -p name-network{prefix=one} --split-input-file --verify-diagnostics

// expected-error@unknown {{no function is public}}
func.func @network() {
  func.return
}
