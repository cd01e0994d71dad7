// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @shift_too_far(%x: i32) {
  // expected-error@+1 {{a shift of 32 is outside 0 to 31, the width of i32}}
  %r = quant.requantize %x, %x, %x shift 32 clip 0 to 255 in i32 : i32, i32, i32 -> i8
  func.return
}

// -----

func.func @shift_to_the_left(%x: i32) {
  // expected-error@+1 {{a shift of -1 is outside 0 to 63, the width of i64}}
  %r = quant.requantize %x, %x, %x shift -1 clip 0 to 255 in i64 : i32, i32, i32 -> i8
  func.return
}

// -----

func.func @nothing_left(%x: i32) {
  // expected-error@+1 {{the clip range 128 to 127 is empty}}
  %r = quant.requantize %x, %x, %x shift 1 clip 128 to 127 in i32 : i32, i32, i32 -> i8
  func.return
}

// -----

func.func @wide_operand(%x: i32, %add: i64) {
  // expected-error@+1 {{an operand of type i64 does not fit the computation in i32}}
  %r = quant.requantize %x, %x, %add shift 1 clip 0 to 1 in i32 : i32, i32, i64 -> i8
  func.return
}

// -----

func.func @above_the_result(%x: i32) {
  // expected-error@+1 {{the clip range does not fit the result type i8}}
  %r = quant.requantize %x, %x, %x shift 1 clip 0 to 256 in i32 : i32, i32, i32 -> i8
  func.return
}

// -----

func.func @below_the_result(%x: i32) {
  // expected-error@+1 {{the clip range does not fit the result type i8}}
  %r = quant.requantize %x, %x, %x shift 1 clip -129 to 0 in i32 : i32, i32, i32 -> i8
  func.return
}

// -----

func.func @float(%x: f32, %y: i32) {
  // expected-error@+1 {{f32 should be of base attribute integer_type}}
  %r = quant.requantize %x, %y, %y shift 1 clip 0 to 1 in i32 : f32, i32, i32 -> i8
  func.return
}
