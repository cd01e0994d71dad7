// RUN: opt-tool %s -p bufferize | filecheck %s

// Kernels write into outputs, parts of a concatenation, and into a buffer that nobody needs any more.
// CHECK: memref.global "private" constant @k : memref<2x4xi8> = dense<7>
// CHECK-LABEL: func.func @network(%x: memref<4x4xi8> {onnx.name = "x"}, %y: memref<6x4xi8> {onnx.name = "y", tilewright.output}, %z: memref<16xi8> {onnx.name = "z", onnx.type = "ui8", tilewright.output}, %{{.*}}: memref<4x4xi8> {tilewright.output}) {
// CHECK-NEXT:    %k = memref.get_global @k
// CHECK-NEXT:    %a = memref.alloc() : memref<4x4xi8>
// CHECK-NEXT:    nn.ita_max ins(%x : memref<4x4xi8>) outs(%a : memref<4x4xi8>)
// CHECK-NEXT:    %[[TOP:.*]] = memref.subview %y[0, 0] [4, 4] [1, 1]
// CHECK-NEXT:    nn.ita_max ins(%a : memref<4x4xi8>) outs(%[[TOP]] : memref<4x4xi8, strided<[4, 1]>>)
// CHECK-NEXT:    %[[REST:.*]] = memref.subview %y[4, 0] [2, 4] [1, 1] : memref<6x4xi8> to memref<2x4xi8, strided<[4, 1], offset: 16>>
// CHECK-NEXT:    memref.copy %k, %[[REST]]
// CHECK-NEXT:    nn.ita_max ins(%a : memref<4x4xi8>) outs(%a : memref<4x4xi8>) {levels = 16
// CHECK-NEXT:    %[[Z:.*]] = memref.expand_shape %z
// CHECK-NEXT:    nn.ita_max ins(%a : memref<4x4xi8>) outs(%[[Z]] : memref<4x4xi8>)
// CHECK:         memref.copy %x, %{{.*}}
// CHECK-NEXT:    func.return
func.func @network(%x: tensor<4x4xi8> {onnx.name = "x"}) -> (tensor<6x4xi8> {onnx.name = "y"}, tensor<16xi8> {onnx.name = "z", onnx.type = "ui8"}, tensor<4x4xi8>) {
  %k = arith.constant dense<7> : tensor<2x4xi8>
  %e = tensor.empty() : tensor<4x4xi8>
  %a = nn.ita_max ins(%x : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %b = nn.ita_max ins(%a : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %y = tensor.concat dim(0) %b, %k : (tensor<4x4xi8>, tensor<2x4xi8>) -> tensor<6x4xi8>
  %c = nn.ita_max ins(%a : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 16 : i64, accumulator = i32, element = i8}
  %d = nn.ita_max ins(%c : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 16 : i64, accumulator = i32, element = i8}
  %z = tensor.collapse_shape %d [[0, 1]] : tensor<4x4xi8> into tensor<16xi8>
  func.return %y, %z, %x : tensor<6x4xi8>, tensor<16xi8>, tensor<4x4xi8>
}

// CHECK: func.func @pad(%x: memref<4x4xi8>, %[[O:.*]]: memref<5x6xi8> {tilewright.output}) {
// CHECK-NEXT:    %[[F:.*]] = arith.constant -128 : i8
// CHECK-NEXT:    %[[T:.*]] = memref.subview %[[O]][0, 0] [1, 6] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%[[F]] : i8) outs(%[[T]] : memref<1x6xi8, strided<[6, 1]>>)
// CHECK-NEXT:    %[[R:.*]] = memref.subview %[[O]][1, 4] [4, 2] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%[[F]] : i8) outs(%[[R]] : memref<4x2xi8, strided<[6, 1], offset: 10>>)
// CHECK-NEXT:    %[[I:.*]] = memref.subview %[[O]][1, 0] [4, 4] [1, 1]
// CHECK-NEXT:    memref.copy %x, %[[I]]
// CHECK-NEXT:    func.return
func.func @pad(%x: tensor<4x4xi8>) -> tensor<5x6xi8> {
  %p = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %f = arith.constant -128 : i8
    tensor.yield %f : i8
  } : tensor<4x4xi8> to tensor<5x6xi8>
  func.return %p : tensor<5x6xi8>
}

// What has no other use than to be padded is computed inside of its padding.

// CHECK: func.func @padded_result(%x: memref<4x4xi8>, %[[O:.*]]: memref<5x4xi8> {tilewright.output}) {
// CHECK:         linalg.fill
// CHECK-NOT:     linalg.fill
// CHECK:         %[[I:.*]] = memref.subview %[[O]][1, 0] [4, 4] [1, 1]
// CHECK-NEXT:    nn.ita_max ins(%x : memref<4x4xi8>) outs(%[[I]] : memref<4x4xi8, strided<[4, 1], offset: 4>>)
// CHECK-NEXT:    func.return
func.func @padded_result(%x: tensor<4x4xi8>) -> tensor<5x4xi8> {
  %e = tensor.empty() : tensor<4x4xi8>
  %a = nn.ita_max ins(%x : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %p = tensor.pad %a low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %f = arith.constant 0 : i8
    tensor.yield %f : i8
  } : tensor<4x4xi8> to tensor<5x4xi8>
  func.return %p : tensor<5x4xi8>
}
