// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},widen-groups | filecheck %s

// Groups of 16 channels, with the weights of the channels on the diagonal.
// CHECK-LABEL: func.func @depthwise
// CHECK:         %[[W:.*]] = arith.constant dense<"0x01000000000000000000000000000000000200000000000000000000000000000000030000{{.*}}"> : tensor<32x1x1x16xi8>
// CHECK-NEXT:    nn.conv ins(%x, %[[W]] : tensor<1x5x5x32xi8>, tensor<32x1x1x16xi8>) {{.*}}groups = 2 : i64
func.func @depthwise(%x: tensor<1x5x5x32xi8>, %o: tensor<1x5x5x32xi32>) -> tensor<1x5x5x32xi32> {
  %w = arith.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20"> : tensor<32x1x1x1xi8>
  %y = nn.conv ins(%x, %w : tensor<1x5x5x32xi8>, tensor<32x1x1x1xi8>) outs(%o : tensor<1x5x5x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64, accumulator = i32, channels_last}
  func.return %y : tensor<1x5x5x32xi32>
}

// Two features of each channel: 3 groups fill blocks of features.
// CHECK-LABEL: func.func @multiplier
// CHECK:         arith.constant dense<{{.*}}> : tensor<48x8x1x1xi8>
// CHECK-NEXT:    nn.conv {{.*}}groups = 3 : i64
func.func @multiplier(%x: tensor<1x24x5x5xi8>, %o: tensor<1x48x5x5xi32>) -> tensor<1x48x5x5xi32> {
  %w = arith.constant dense<1> : tensor<48x1x1x1xi8>
  %y = nn.conv ins(%x, %w : tensor<1x24x5x5xi8>, tensor<48x1x1x1xi8>) outs(%o : tensor<1x48x5x5xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 24 : i64, accumulator = i32}
  func.return %y : tensor<1x48x5x5xi32>
}
