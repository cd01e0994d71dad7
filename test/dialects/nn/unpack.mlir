// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK: nn.unpack ins(%x : tensor<32x3x8xi8>) outs(%o : tensor<32x3x13xi8>) {bits = 4 : i64}
func.func @signed(%x: tensor<32x3x8xi8>, %o: tensor<32x3x13xi8>) -> tensor<32x3x13xi8> {
  %y = nn.unpack ins(%x : tensor<32x3x8xi8>) outs(%o : tensor<32x3x13xi8>) {bits = 4 : i64}
  func.return %y : tensor<32x3x13xi8>
}

// CHECK: nn.unpack ins(%x : memref<4xi8>) outs(%o : memref<16xi8>) {bits = 2 : i64, unsigned = array<i64: 0>}
func.func @unsigned(%x: memref<4xi8>, %o: memref<16xi8>) {
  nn.unpack ins(%x : memref<4xi8>) outs(%o : memref<16xi8>) {bits = 2 : i64, unsigned = array<i64: 0>}
  func.return
}
