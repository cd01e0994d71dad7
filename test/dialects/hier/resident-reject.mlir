// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @far() {
  // expected-error@below {{expected a sharded value, found memref<4xi8>}}
  %w = hier.resident {
  ^bb0(%own: memref<4xi8>):
  } : memref<4xi8>
  func.return
}

// -----

!rows = memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d0 floordiv 2)>>
func.func @no_body() {
  // expected-error@below {{expected a single block, but got 0 blocks}}
  %w = hier.resident {
  } : !rows
  func.return
}

// -----

!rows = memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d0 floordiv 2)>>
!columns = memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 4)>>
func.func @other_type() {
  // expected-error@below {{expected one argument of the type memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d0 floordiv 2)>>}}
  %w = hier.resident {
  ^bb0(%own: !columns):
  } : !rows
  func.return
}

// -----

!rows = memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d0 floordiv 2)>>
func.func @in_a_program() {
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [2] {
      // expected-error@below {{expected no program around the op}}
      %w = hier.resident {
      ^bb0(%own: !rows):
      } : !rows
    }
  }
  func.return
}
