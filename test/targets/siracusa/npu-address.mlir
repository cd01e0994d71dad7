// RUN: opt-tool %s -p convert-to-emitc{runtime=tw_cluster.h} -t c | filecheck %s

// The NPU gets the address of the first element, wherever in its buffer a part begins.

// CHECK-LABEL: void address_run(
// CHECK: tw_npu_write(1, tw_npu_address(x + 96))
func.func @address(%x: memref<1x6x6x32xi8, "L1">) {
  %p = memref.subview %x[0, 0, 3, 0] [1, 6, 3, 32] [1, 1, 1, 1] : memref<1x6x6x32xi8, "L1"> to memref<1x6x3x32xi8, strided<[1152, 192, 32, 1], offset: 96>, "L1">
  %a = npu.address %p : memref<1x6x3x32xi8, strided<[1152, 192, 32, 1], offset: 96>, "L1">
  npu.write %a {index = 1 : i64}
  func.return
}
