// RUN: opt-tool %s -p bufferize | filecheck %s

// A kernel that reads one tensor by two maps does not overwrite it: the second reads what the first has been replaced by.

// CHECK-LABEL: func.func @network
// CHECK:         %a = memref.alloc() : memref<4x4xi8>
// CHECK:         %b = memref.alloc() : memref<4x4xi8>
// CHECK:         linalg.generic {{.*}} ins(%a, %a : memref<4x4xi8>, memref<4x4xi8>) outs(%b : memref<4x4xi8>)
func.func @network(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %e = tensor.empty() : tensor<4x4xi8>
  %a = nn.ita_max ins(%x : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  %f = tensor.empty() : tensor<4x4xi8>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %a : tensor<4x4xi8>, tensor<4x4xi8>) outs(%f : tensor<4x4xi8>) {
  ^bb0(%u: i8, %v: i8, %o: i8):
    %s = arith.addi %u, %v : i8
    linalg.yield %s : i8
  } -> tensor<4x4xi8>
  %g = tensor.empty() : tensor<4x4xi8>
  %c = nn.ita_max ins(%b : tensor<4x4xi8>) outs(%g : tensor<4x4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %c : tensor<4x4xi8>
}

// Nor one that reads its own target by another map: the target is copied, and read where it was.

// CHECK-LABEL: func.func @own_target
// CHECK:         %s = memref.alloc() : memref<2x2xi32>
// CHECK:         memref.copy %s, %[[Y:.*]] : memref<2x2xi32> to memref<2x2xi32>
// CHECK:         linalg.generic {{.*}} ins(%s : memref<2x2xi32>) outs(%[[Y]] : memref<2x2xi32>)
func.func @own_target(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %e = tensor.empty() : tensor<2x2xi32>
  %s = linalg.add ins(%a, %a : tensor<2x2xi32>, tensor<2x2xi32>) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<2x2xi32>) outs(%s : tensor<2x2xi32>) {
  ^bb0(%p: i32, %o: i32):
    %r = arith.subi %p, %o : i32
    linalg.yield %r : i32
  } -> tensor<2x2xi32>
  return %x : tensor<2x2xi32>
}

// A scalar operand is a constant or a computed number.

// CHECK-LABEL: func.func @filled
// CHECK:         %[[F:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK:         %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK:         linalg.fill ins(%[[C]] : f32) outs(%[[F]] : memref<2x4xf32>)
// CHECK:         linalg.matmul {{.*}} outs(%[[Y:.*]] : memref<2x4xf32>)
// CHECK:         %[[V:.*]] = memref.load %[[Y]]
// CHECK:         linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : memref<2x4xf32>)
func.func @filled(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %c = arith.constant 2.5 : f32
  %i = arith.constant 1 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %m = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = tensor.extract %m[%i, %i] : tensor<2x4xf32>
  %g = linalg.fill ins(%v : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %m, %g : tensor<2x4xf32>, tensor<2x4xf32>
}
