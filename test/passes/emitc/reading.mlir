// RUN: opt-tool %s --pass-pipeline='builtin.module(convert-to-emitc)' -t c | filecheck %s
// RUN: opt-tool %s --pass-pipeline='builtin.module(convert-to-emitc)' -t 'c{weights=extern}' | filecheck %s --check-prefix=EXTERN

// CHECK: #define NETWORK_INPUT_0_NAME "x"
// CHECK-NEXT: #define NETWORK_INPUT_0_TYPE uint8_t
// CHECK-NEXT: #define NETWORK_INPUT_0_RANK 2
// CHECK-NEXT: #define NETWORK_INPUT_0_SHAPE {2, 4}
// CHECK-NEXT: #define NETWORK_INPUT_0_SIZE 8
// CHECK-NEXT: #define NETWORK_INPUT_0_BYTES 8
// CHECK: #define NETWORK_OUTPUT_0_BYTES 8
// CHECK: #define NETWORK_ARENA_BYTES 64
// CHECK-NEXT: #define NETWORK_WEIGHTS_BYTES 4
// CHECK: void network_run(const uint8_t x[8], int32_t y[2]);
// CHECK: #ifndef TILEWRIGHT_H
// CHECK: /* 4xint8 */
// CHECK-NEXT: static _Alignas(1) const int8_t network_w[4] = {
// CHECK-NEXT: 1, -2, 3, -4,
// CHECK-NEXT: };
// CHECK: static _Alignas(16) uint8_t arena[64];
// EXTERN: extern _Alignas(1) const int8_t network_w[4];
// EXTERN-NOT: {{^}}static _Alignas(1)
memref.global "private" constant @w : memref<4xi8> = dense<[1, -2, 3, -4]>
memref.global "private" constant @unused : memref<4xi8> = dense<0>
memref.global "private" @arena : memref<64xi8> = uninitialized {alignment = 16 : i64}

// CHECK-NOT: unused
// CHECK: /*
// CHECK-NEXT: * dot
// CHECK-NEXT: * in:  x 2x4xi8
// CHECK-NEXT: * in:  w 4xi8
// CHECK-NEXT: * out: y 2xi32
// CHECK-NEXT: */
// CHECK-NEXT: static TW_KERNEL void dot(const int8_t *x, const int8_t *restrict w, tw_i32 *y) {
// CHECK-NEXT:     for (int32_t i = 0; i < 2; ++i) {
// CHECK-NEXT:         int32_t sum = 0;
// CHECK-NEXT:         for (int32_t j = 0; j < 4; ++j) {
// CHECK-NEXT:             sum += (uint8_t)x[i * 4 + j] * w[j];
// CHECK-NEXT:         }
// CHECK-NEXT:         y[i] = (int32_t)((uint32_t)sum + (uint32_t)y[i]);
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func private @dot(%x: memref<2x4xi8>, %w: memref<4xi8>, %y: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c2 step %c1 {
    %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (i32) {
      %a = memref.load %x[%i, %j] : memref<2x4xi8>
      %b = memref.load %w[%j] : memref<4xi8>
      %a32 = arith.extui %a : i8 to i32
      %b32 = arith.extsi %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %s = arith.addi %acc, %p overflow<nsw> : i32
      scf.yield %s : i32
    }
    %old = memref.load %y[%i] : memref<2xi32>
    %new = arith.addi %sum, %old : i32
    memref.store %new, %y[%i] : memref<2xi32>
  }
  func.return
}

// CHECK: void network_run(const uint8_t x[8], int32_t y[2]) {
// CHECK-NEXT:     tw_i32 *const part = (tw_i32 *)(arena + 16);
// CHECK-NEXT:     /* MatMul_3 + Add_4 */
// CHECK-NEXT:     dot((const int8_t *)x, network_w, part);
// CHECK-NEXT:     for (int32_t i = 0; i < 2; ++i) {
// CHECK-NEXT:         y[i] = part[i];
// CHECK-NEXT:     }
// CHECK-NEXT: }
func.func @network(%x: memref<2x4xi8> {onnx.name = "x", onnx.type = "ui8"},
                   %y: memref<2xi32> {onnx.name = "y", tilewright.output}) {
  %arena = memref.get_global @arena : memref<64xi8>
  %c16 = arith.constant 16 : index
  %part = memref.view %arena[%c16][] : memref<64xi8> to memref<2xi32>
  %w = memref.get_global @w : memref<4xi8>
  func.call @dot(%x, %w, %part) : (memref<2x4xi8>, memref<4xi8>, memref<2xi32>) -> () loc(fused["MatMul_3", "Add_4"])
  memref.copy %part, %y : memref<2xi32> to memref<2xi32>
  func.return
}
