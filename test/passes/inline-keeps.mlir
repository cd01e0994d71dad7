// RUN: opt-tool %s -p inline > %t && opt-tool %s | diff - %t

// A function that calls itself, a declaration, and a function of several blocks.
func.func @f(%x: i32) -> i32 {
  %a = func.call @itself(%x) : (i32) -> i32
  %b = func.call @outside(%a) : (i32) -> i32
  %c = func.call @blocks(%b) : (i32) -> i32
  func.return %c : i32
}
func.func private @itself(%x: i32) -> i32 {
  %a = func.call @itself(%x) : (i32) -> i32
  func.return %a : i32
}
func.func private @outside(i32) -> i32
func.func private @blocks(%x: i32) -> i32 {
  cf.br ^bb1
^bb1:
  func.return %x : i32
}

// A public function is not erased, though nothing calls it.
func.func @g() {
  func.return
}
