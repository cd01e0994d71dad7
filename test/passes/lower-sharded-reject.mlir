// RUN: opt-tool %s -p attach-machine{target=%S/../machines/mesh_4x4.toml},lower-sharded --split-input-file --verify-diagnostics

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
func.func @kernel() {
  %k = memref.alloc() : !rows
  // expected-error@below {{'linalg.add' accesses values that are sharded}}
  linalg.add ins(%k, %k : !rows, !rows) outs(%k : !rows)
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
// expected-error@below {{argument 0 is sharded}}
func.func @argument(%k: !rows) {
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
!columns = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d1 floordiv 2, d0 floordiv 4)>>
func.func @transposed() {
  %k = memref.alloc() : !rows
  %l = memref.alloc() : !columns
  // expected-error@below {{a copy between values that are sharded in different ways}}
  memref.copy %k, %l : !rows to !columns
  func.return
}
