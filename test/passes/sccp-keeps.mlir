// RUN: opt-tool %s -p sccp > %t && opt-tool %s | diff - %t

// Calls differ, or come from elsewhere.
func.func @callers() -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = func.call @identity(%c1) : (i32) -> i32
  %b = func.call @identity(%c2) : (i32) -> i32
  func.return %a, %b : i32, i32
}

func.func private @identity(%x: i32) -> i32 {
  func.return %x : i32
}
