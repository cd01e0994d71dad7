// RUN: opt-tool %s -p symbol-dce > %t && opt-tool %s | diff - %t

// Public functions and globals, and what they need: at once, through another function, or from a body of constants.
func.func @public(%x: i32) -> i32 {
  %y = func.call @needed(%x) : (i32) -> i32
  func.return %y : i32
}
func.func private @needed(%x: i32) -> i32 {
  %i = arith.constant 0 : index
  %table = memref.get_global @table : memref<2xi32>
  %y = memref.load %table[%i] : memref<2xi32>
  func.return %y : i32
}
memref.global "private" constant @table : memref<2xi32> = dense<[1, 2]>
memref.global @shown : memref<2xi32> = dense<[1, 2]>
