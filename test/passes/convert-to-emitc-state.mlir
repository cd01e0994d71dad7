// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s

// Inputs that declare a range are checked before anything is touched, the position against the rows that are written
// too. The state is not in the arena, and has a reset.
// CHECK:       #define NETWORK_INPUT_0_RANGE {0, 9}
// CHECK:       #define NETWORK_INPUT_1_RANGE {0, 6}
// CHECK:       #define NETWORK_ARENA_BYTES 0 /* static memory that changes */
// CHECK:       #define NETWORK_STATE_BYTES 15 /* static memory that outlives a call */
// CHECK:       #define NETWORK_POSITION_INPUT 1
// CHECK-NEXT:  #define NETWORK_NEW_ROWS 2
// CHECK-NEXT:  #define NETWORK_CONTEXT 8
// CHECK:       #define NETWORK_OUT_OF_RANGE 1
// CHECK:       int32_t network_run(const uint8_t token[2], const int32_t position[1], int8_t y[1]);
// CHECK:       void network_reset(void);
// CHECK:       static _Alignas(1) int8_t network_k[8];
// CHECK:       static _Alignas(1) int8_t network_m[3] = {
// CHECK:       static _Alignas(4) int32_t network_rows[1];
// CHECK:       static TW_KERNEL void network_step(
// CHECK:       int32_t network_run(
// CHECK:           (int64_t)(uint8_t)token_1[i0]
// CHECK:           network_step(
// CHECK-NEXT:      network_rows[0] = (int32_t)((uint32_t)position[0] + 2u);
// CHECK:       void network_reset(void) {
// CHECK:           network_k[i0] = 0;
// CHECK:           network_m[i] = network_m_first[i];
// CHECK:           network_rows[0] = 0;
memref.global "private" @k : memref<8xi8> = dense<0> {tilewright.state}
memref.global "private" @m : memref<3xi8> = dense<[1, 2, 3]> {tilewright.state}
func.func @network(%token: memref<2xi8> {onnx.name = "token", onnx.type = "ui8", tilewright.range = array<i64: 0, 9>}, %position: memref<1xi32> {onnx.name = "position", tilewright.state = array<i64: 2, 8>, tilewright.range = array<i64: 0, 6>}, %y: memref<1xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %k = memref.get_global @k : memref<8xi8>
  %m = memref.get_global @m : memref<3xi8>
  %a = memref.load %token[%zero] : memref<2xi8>
  memref.store %a, %k[%zero] : memref<8xi8>
  memref.store %a, %m[%zero] : memref<3xi8>
  memref.store %a, %y[%zero] : memref<1xi8>
  func.return
}
