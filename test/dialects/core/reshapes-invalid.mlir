// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @elements(%t: memref<32x24xf32>) {
  // expected-error@+1 {{the axes [1, 2] have 2 elements together, the axis of the group 24}}
  %h = memref.expand_shape %t [[0], [1, 2]] output_shape [32, 2, 1] : memref<32x24xf32> into memref<32x2x1xf32>
  func.return
}

// -----

func.func @axes(%t: tensor<4x6xf32>) {
  // expected-error@+1 {{the groups [[0]] are not the axes of [4, 6] in order, one for each of 1}}
  %h = tensor.collapse_shape %t [[0]] : tensor<4x6xf32> into tensor<24xf32>
  func.return
}

// -----

func.func @one_element(%x: memref<1x1xf32>, %y: memref<2x1xf32>) {
  %a = memref.collapse_shape %x [] : memref<1x1xf32> into memref<f32>
  // expected-error@+1 {{the axes [0, 1] have 2 elements together, the axis of the group 1}}
  %b = memref.collapse_shape %y [] : memref<2x1xf32> into memref<f32>
  func.return
}
