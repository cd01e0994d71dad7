// RUN: opt-tool %s --split-input-file -p attach-machine{target=siracusa},convert-to-npu,canonicalize | filecheck %s
// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/npu/npu.toml},convert-to-npu | filecheck %s --check-prefix=ALONE

// NPU and cluster each make some of the features of a row at the same time, from the weights of these; not where the NPU
// has no queue.

// ALONE-NOT: tensor.concat

// CHECK-LABEL: func.func @features
// CHECK:         npu.matmul ins({{.*}} : tensor<1x128xi8>, tensor<{{[0-9]+}}x128xi8>) {{.*}} engine = "npu"
// CHECK:         arith.constant dense<1> : tensor<{{[0-9]+}}x128xi8>
// CHECK:         nn.matmul ins({{.*}} : tensor<1x128xi8>, tensor<{{[0-9]+}}x128xi8>) {{.*}} engine = "cluster"
// CHECK:         tensor.concat dim(1) {{.*}} -> tensor<1x640xi32>
func.func @features(%x: tensor<1x128xi8>) -> tensor<1x640xi32> {
  %w = arith.constant dense<1> : tensor<640x128xi8>
  %o = tensor.empty() : tensor<1x640xi32>
  %y = nn.matmul ins(%x, %w : tensor<1x128xi8>, tensor<640x128xi8>) outs(%o : tensor<1x640xi32>)
    {accumulator = i32, transpose_b}
  func.return %y : tensor<1x640xi32>
}

// -----

// What the attribute says is done whole.

// CHECK-LABEL: func.func @hinted
// CHECK:         npu.matmul
// CHECK-NOT:     tensor.concat
func.func @hinted(%x: tensor<1x128xi8>) -> tensor<1x640xi32> {
  %w = arith.constant dense<1> : tensor<640x128xi8>
  %o = tensor.empty() : tensor<1x640xi32>
  %y = nn.matmul ins(%x, %w : tensor<1x128xi8>, tensor<640x128xi8>) outs(%o : tensor<1x640xi32>)
    {accumulator = i32, transpose_b, engine = "npu"}
  func.return %y : tensor<1x640xi32>
}

// -----

// Parts along the rows would both need all weights.

// CHECK-LABEL: func.func @rows
// CHECK:         npu.matmul
// CHECK-NOT:     tensor.concat
func.func @rows(%x: tensor<128x128xi8>) -> tensor<128x640xi32> {
  %w = arith.constant dense<1> : tensor<640x128xi8>
  %o = tensor.empty() : tensor<128x640xi32>
  %y = nn.matmul ins(%x, %w : tensor<128x128xi8>, tensor<640x128xi8>) outs(%o : tensor<128x640xi32>)
    {accumulator = i32, transpose_b}
  func.return %y : tensor<128x640xi32>
}

// -----

// What the NPU leaves out lies between the pixels of its part, and columns of a part are not folded: joining would copy.

// CHECK-LABEL: func.func @strided
// CHECK-NOT:     tensor.concat
// CHECK:         npu.conv
// CHECK-NOT:     tensor.concat
// CHECK:         npu.conv
// CHECK-NOT:     tensor.concat
// CHECK:         func.return
func.func @strided(%x: tensor<1x96x96x3xi8>, %odd: tensor<1x96x95x3xi8>) -> (tensor<1x48x48x8xi32>, tensor<1x96x48x8xi32>) {
  %w = arith.constant dense<1> : tensor<8x3x3x3xi8>
  %o = tensor.empty() : tensor<1x48x48x8xi32>
  %y = nn.conv ins(%odd, %w : tensor<1x96x95x3xi8>, tensor<8x3x3x3xi8>) outs(%o : tensor<1x48x48x8xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  %p = tensor.empty() : tensor<1x96x48x8xi32>
  %z = nn.conv ins(%x, %w : tensor<1x96x96x3xi8>, tensor<8x3x3x3xi8>) outs(%p : tensor<1x96x48x8xi32>)
    {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %y, %z : tensor<1x48x48x8xi32>, tensor<1x96x48x8xi32>
}

// -----

// Products that may run at once keep both engines busy whole.

// CHECK-LABEL: func.func @siblings
// CHECK-NOT:     tensor.concat
// CHECK:         func.return
func.func @siblings(%x: tensor<1x64xi8>) -> (tensor<1x64xi32>, tensor<1x64xi32>, tensor<1x64xi32>) {
  %w = arith.constant dense<1> : tensor<64x64xi8>
  %o = tensor.empty() : tensor<1x64xi32>
  %q = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  %k = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  %v = nn.matmul ins(%x, %w : tensor<1x64xi8>, tensor<64x64xi8>) outs(%o : tensor<1x64xi32>) {accumulator = i32, transpose_b}
  func.return %q, %k, %v : tensor<1x64xi32>, tensor<1x64xi32>, tensor<1x64xi32>
}
