// RUN: opt-tool %s -p symbol-dce | filecheck %s

// CHECK-NOT: @unused
// CHECK-NOT: @only_unused
// CHECK: @needed
// CHECK: @public
// CHECK: @table
// CHECK: memref.global {{.*}}@table : 
// CHECK-NOT: unused_table
// CHECK-NOT: @itself
func.func private @unused() {
  func.call @only_unused() : () -> ()
  func.return
}
func.func private @only_unused() {
  func.return
}
func.func private @needed() {
  func.return
}
func.func @public() -> memref<2xi32> {
  func.call @needed() : () -> ()
  %0 = memref.get_global @table : memref<2xi32>
  func.return %0 : memref<2xi32>
}
memref.global "private" @table : memref<2xi32> = uninitialized
memref.global "private" @unused_table : memref<2xi32> = uninitialized
func.func private @itself() {
  func.call @itself() : () -> ()
  func.return
}
