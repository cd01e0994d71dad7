// RUN: opt-tool %s --verify-each=roundtrip -p canonicalize,cse,symbol-dce | filecheck %s

!columns = memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 4)>>

func.func @weight(%far: memref<4x8xi8>, %y: memref<4x8xi8>) {
  // CHECK: %w = hier.resident {
  // CHECK-NEXT: ^bb0(%own: memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 4)>>):
  // CHECK-NEXT: memref.copy %far, %own
  // CHECK-NEXT: } : memref<4x8xi8, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 4)>>
  %w = hier.resident {
  ^bb0(%own: !columns):
    memref.copy %far, %own : memref<4x8xi8> to !columns
  } : !columns
  // CHECK-NEXT: memref.copy %w, %y
  memref.copy %w, %y : !columns to memref<4x8xi8>
  func.return
}
