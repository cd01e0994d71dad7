// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s

// A function and one that it calls have memories of their own; those of one depth of calls share the larger one.
// CHECK-DAG:  int8_t inner_near[16];
// CHECK-DAG:  int8_t second_near[8];
// CHECK-NOT:  {{outer|other}}_near[
memref.global "private" @inner_near : memref<16xi8, "L1"> = uninitialized
memref.global "private" @other_near : memref<4xi8, "L1"> = uninitialized
memref.global "private" @first_near : memref<4xi8, "L1"> = uninitialized
memref.global "private" @second_near : memref<8xi8, "L1"> = uninitialized

func.func private @inner(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @inner_near : memref<16xi8, "L1">
  %a = memref.load %near[%zero] : memref<16xi8, "L1">
  memref.store %a, %out[%zero] : memref<1xi8>
  func.return
}

func.func private @other(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @other_near : memref<4xi8, "L1">
  %a = memref.load %near[%zero] : memref<4xi8, "L1">
  memref.store %a, %out[%zero] : memref<1xi8>
  func.return
}

func.func @first(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @first_near : memref<4xi8, "L1">
  func.call @inner(%out) : (memref<1xi8>) -> ()
  %a = memref.load %near[%zero] : memref<4xi8, "L1">
  memref.store %a, %out[%zero] : memref<1xi8>
  func.return
}

func.func @second(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @second_near : memref<8xi8, "L1">
  func.call @other(%out) : (memref<1xi8>) -> ()
  %a = memref.load %near[%zero] : memref<8xi8, "L1">
  memref.store %a, %out[%zero] : memref<1xi8>
  func.return
}
