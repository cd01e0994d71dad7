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
