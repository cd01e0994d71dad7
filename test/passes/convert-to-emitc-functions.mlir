// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s

// Functions that run at different times have one memory in a level, the larger one; constants there stay what they are.
// CHECK:      int8_t first_weight[2]
// CHECK:      int8_t first_second_weight[2]
// CHECK:      int8_t near_[16];
// CHECK-NOT:  [8]
// CHECK:      void first_run(
// CHECK-NEXT:   first_weight[0] + near_[0]
// CHECK:      void second_run(
// CHECK-NEXT:   first_second_weight[0] + near_[0]

memref.global "private" @near : memref<16xi8, "L1"> = uninitialized
memref.global "private" @second_near : memref<8xi8, "L1"> = uninitialized
memref.global "private" constant @weight : memref<2xi8, "L1"> = dense<[1, 2]>
memref.global "private" constant @second_weight : memref<2xi8, "L1"> = dense<[3, 4]>

func.func @first(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @near : memref<16xi8, "L1">
  %weight = memref.get_global @weight : memref<2xi8, "L1">
  %a = memref.load %weight[%zero] : memref<2xi8, "L1">
  %b = memref.load %near[%zero] : memref<16xi8, "L1">
  %c = arith.addi %a, %b : i8
  memref.store %c, %out[%zero] : memref<1xi8>
  func.return
}

func.func @second(%out: memref<1xi8>) {
  %zero = arith.constant 0 : index
  %near = memref.get_global @second_near : memref<8xi8, "L1">
  %weight = memref.get_global @second_weight : memref<2xi8, "L1">
  %a = memref.load %weight[%zero] : memref<2xi8, "L1">
  %b = memref.load %near[%zero] : memref<8xi8, "L1">
  %c = arith.addi %a, %b : i8
  memref.store %c, %out[%zero] : memref<1xi8>
  func.return
}
