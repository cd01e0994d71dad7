// RUN: opt-tool %s -p convert-linalg-to-memref-stream --split-input-file --verify-diagnostics

func.func @f(%a: memref<4x3xf32>, %b: memref<3xf32>) {
  // expected-error@+1 {{memref_stream has no kernel whose parallel axes follow its reductions}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%a : memref<4x3xf32>) outs(%b : memref<3xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

func.func @f(%b: memref<3xindex>) {
  // expected-error@+1 {{memref_stream has no kernel that reads its indices}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%b : memref<3xindex>) {
  ^bb0(%y: index):
    %s = linalg.index 0 : index
    linalg.yield %s : index
  }
  func.return
}
