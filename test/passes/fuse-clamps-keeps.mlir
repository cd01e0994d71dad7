// RUN: opt-tool %s -o %t.a.mlir
// RUN: opt-tool %s -p fuse-clamps -o %t.b.mlir
// RUN: diff %t.a.mlir %t.b.mlir

// A result that is used twice, one that is unsigned, a bound that varies, and a clamp of another type.
func.func @network(%x: tensor<8xi32>, %v: i8) -> (tensor<8xi8>, tensor<8xi32>) {
  %e = tensor.empty() : tensor<8xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%e : tensor<8xi8>) {
  ^bb0(%i: i32, %o: i8):
    %f = arith.constant 1.0e-08 : f32
    %b = arith.constant 0 : i8
    %r = quant.rescale %i, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %m = arith.maxsi %r, %b : i8
    %s = arith.addi %m, %r : i8
    %u = quant.rescale %i, %f zero 128 clip 0 to 255 : i32, f32 -> i8
    %n = arith.maxsi %u, %b : i8
    %q = quant.rescale %i, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %k = arith.maxsi %q, %v : i8
    %t = arith.addi %n, %k : i8
    %w = arith.addi %s, %t : i8
    linalg.yield %w : i8
  } -> tensor<8xi8>
  %g = tensor.empty() : tensor<8xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%g : tensor<8xi32>) {
  ^bb0(%i: i32, %o: i32):
    %f = arith.constant 1.0e-08 : f32
    %b = arith.constant 0 : i32
    %r = quant.rescale %i, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %w = arith.extsi %r : i8 to i32
    %m = arith.maxsi %w, %b : i32
    linalg.yield %m : i32
  } -> tensor<8xi32>
  func.return %y, %z : tensor<8xi8>, tensor<8xi32>
}
