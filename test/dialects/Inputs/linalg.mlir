module {
  func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = linalg.dot ins(%arg0, %arg1 : tensor<2xf32>, tensor<2xf32>) outs(%arg2 : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = linalg.matvec ins(%arg0, %arg1 : tensor<2x3xi8>, tensor<3xi8>) outs(%arg2 : tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<3xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = linalg.vecmat ins(%arg0, %arg1 : tensor<3xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<2x4xf32>, tensor<4x3xf32>) outs(%arg2 : tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x2xi8>, %arg1: tensor<4x3xi8>, %arg2: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.matmul_transpose_a ins(%arg0, %arg1 : tensor<4x2xi8>, tensor<4x3xi8>) outs(%arg2 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4xi8>, %arg1: tensor<3x4xi8>, %arg2: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.matmul_transpose_b ins(%arg0, %arg1 : tensor<2x4xi8>, tensor<3x4xi8>) outs(%arg2 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4xi8>, %arg1: tensor<4x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.quantized_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x4xi8>, tensor<4x3xi8>, i32, i32) outs(%arg4 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x4xi8>, %arg1: tensor<2x4xi8>, %arg2: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.batch_matvec ins(%arg0, %arg1 : tensor<2x3x4xi8>, tensor<2x4xi8>) outs(%arg2 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4xi8>, %arg1: tensor<2x4x3xi8>, %arg2: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.batch_vecmat ins(%arg0, %arg1 : tensor<2x4xi8>, tensor<2x4x3xi8>) outs(%arg2 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2xf32>, %arg1: tensor<2x2x4xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<2x3x2xf32>, tensor<2x2x4xf32>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x2x3xi8>, %arg1: tensor<2x2x4xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.batch_matmul_transpose_a ins(%arg0, %arg1 : tensor<2x2x3xi8>, tensor<2x2x4xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2xi8>, %arg1: tensor<2x4x2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.batch_matmul_transpose_b ins(%arg0, %arg1 : tensor<2x3x2xi8>, tensor<2x4x2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2xi8>, %arg1: tensor<2x2x4xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.quantized_batch_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x3x2xi8>, tensor<2x2x4xi8>, i32, i32) outs(%arg4 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2xf32>, %arg1: tensor<2x2x4xf32>, %arg2: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = linalg.batch_reduce_matmul ins(%arg0, %arg1 : tensor<2x3x2xf32>, tensor<2x2x4xf32>) outs(%arg2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4x2x2xi8>, %arg1: tensor<3x4x3x2xi8>, %arg2: tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32> {
    %0 = linalg.mmt4d ins(%arg0, %arg1 : tensor<2x4x2x2xi8>, tensor<3x4x3x2xi8>) outs(%arg2 : tensor<2x3x2x3xi32>) -> tensor<2x3x2x3xi32>
    return %0 : tensor<2x3x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2x3x4xf32>, %arg1: tensor<2x4x2x2x4xf32>, %arg2: tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32> {
    %0 = linalg.batch_mmt4d ins(%arg0, %arg1 : tensor<2x3x2x3x4xf32>, tensor<2x4x2x2x4xf32>) outs(%arg2 : tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32>
    return %0 : tensor<2x3x4x3x2xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4xi8>, %arg1: tensor<3xi8>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = linalg.conv_1d ins(%arg0, %arg1 : tensor<4xi8>, tensor<3xi8>) outs(%arg2 : tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<5x4xi8>, %arg1: tensor<4x2xi8>, %arg2: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = linalg.conv_2d ins(%arg0, %arg1 : tensor<5x4xi8>, tensor<4x2xi8>) outs(%arg2 : tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<3x5x5xf32>, %arg1: tensor<2x3x2xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.conv_3d ins(%arg0, %arg1 : tensor<3x5x5xf32>, tensor<2x3x2xf32>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x3xi8>, %arg1: tensor<2x3x4xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.conv_1d_nwc_wcf {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x3xi8>, tensor<2x3x4xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x2x13xi8>, %arg1: tensor<3x2x3xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.conv_1d_ncw_fcw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x2x13xi8>, tensor<3x2x3xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x4xf32>, %arg1: tensor<3x2x4x2xf32>, %arg2: tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x4xf32>, tensor<3x2x4x2xf32>) outs(%arg2 : tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32>
    return %0 : tensor<2x3x4x2xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x4xi8>, %arg1: tensor<3x2x4x2xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x11x10x4xi8>, tensor<3x2x4x2xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x4xi8>, %arg1: tensor<2x3x2x4xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x4xi8>, tensor<2x3x2x4xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x4xi8>, %arg1: tensor<2x3x2x4xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x11x10x4xi8>, tensor<2x3x2x4xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x10x12xi8>, %arg1: tensor<3x3x2x4xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.conv_2d_nchw_fchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x10x12xi8>, tensor<3x3x2x4xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2x12x11xi8>, %arg1: tensor<4x3x2x4x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.conv_2d_ngchw_fgchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x2x12x11xi8>, tensor<4x3x2x4x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2x12x11xf32>, %arg1: tensor<3x4x2x4x3xf32>, %arg2: tensor<2x3x4x2x3xf32>) -> tensor<2x3x4x2x3xf32> {
    %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x2x12x11xf32>, tensor<3x4x2x4x3xf32>) outs(%arg2 : tensor<2x3x4x2x3xf32>) -> tensor<2x3x4x2x3xf32>
    return %0 : tensor<2x3x4x2x3xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x2x12x11xi8>, %arg1: tensor<3x4x2x4x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x3x2x12x11xi8>, tensor<3x4x2x4x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x2xi8>, %arg1: tensor<2x4x3x2x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x8x16x9x2xi8>, tensor<2x4x3x2x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x2xi8>, %arg1: tensor<2x4x3x2x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf_q {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x8x16x9x2xi8>, tensor<2x4x3x2x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x2x8x16x9xi8>, %arg1: tensor<3x2x2x4x3xi8>, %arg2: tensor<2x3x3x4x2xi32>) -> tensor<2x3x3x4x2xi32> {
    %0 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x2x8x16x9xi8>, tensor<3x2x2x4x3xi8>) outs(%arg2 : tensor<2x3x3x4x2xi32>) -> tensor<2x3x3x4x2xi32>
    return %0 : tensor<2x3x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xi8>, %arg1: tensor<2x4xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xi8>, tensor<2x4xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x4x8xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
    %0 = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x4x8xf32>, tensor<4x2xf32>) outs(%arg2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x4xi8>, %arg1: tensor<3x4x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x11x4xi8>, tensor<3x4x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xi8>, %arg1: tensor<3x2x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xi8>, tensor<3x2x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x2x11x10xf32>, %arg1: tensor<2x3x2xf32>, %arg2: tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x2x11x10xf32>, tensor<2x3x2xf32>) outs(%arg2 : tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
    return %0 : tensor<2x2x3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xi8>, %arg1: tensor<3x2x2xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x11x10x2xi8>, tensor<3x2x2xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x2xi8>, %arg1: tensor<2x4x2x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x8x16x2xi8>, tensor<2x4x2x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x2xi8>, %arg1: tensor<2x4x2x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x8x16x2xi8>, tensor<2x4x2x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x12x3xi8>, %arg1: tensor<3x2x4x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x11x10x12x3xi8>, tensor<3x2x4x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x11x10x12xi8>, %arg1: tensor<3x3x2x4xi8>, %arg2: tensor<2x3x3x4x2xi32>) -> tensor<2x3x3x4x2xi32> {
    %0 = linalg.depthwise_conv_3d_ncdhw_cdhw {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x3x11x10x12xi8>, tensor<3x3x2x4xi8>) outs(%arg2 : tensor<2x3x3x4x2xi32>) -> tensor<2x3x3x4x2xi32>
    return %0 : tensor<2x3x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x2xf32>, %arg1: tensor<2x4x3x2x3xf32>, %arg2: tensor<2x3x4x2x2x3xf32>) -> tensor<2x3x4x2x2x3xf32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x8x16x9x2xf32>, tensor<2x4x3x2x3xf32>) outs(%arg2 : tensor<2x3x4x2x2x3xf32>) -> tensor<2x3x4x2x2x3xf32>
    return %0 : tensor<2x3x4x2x2x3xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.pooling_nwc_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.pooling_nwc_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.pooling_nwc_max_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xf32>, tensor<2xf32>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.pooling_nwc_min {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x4xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.pooling_nwc_min_unsigned {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x4xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x10xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.pooling_ncw_sum {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x3x10xf32>, tensor<2xf32>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x10xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
    %0 = linalg.pooling_ncw_max {dilations = dense<3> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x3x10xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    return %0 : tensor<2x3x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.pooling_nhwc_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32> {
    %0 = linalg.pooling_nhwc_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xf32>, tensor<3x2xf32>) outs(%arg2 : tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32>
    return %0 : tensor<2x3x4x2xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.pooling_nhwc_min {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x11x10x2xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32> {
    %0 = linalg.pooling_nhwc_min_unsigned {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x11x10x2xf32>, tensor<3x2xf32>) outs(%arg2 : tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32>
    return %0 : tensor<2x3x4x2xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x13x6xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.pooling_nchw_sum {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x13x6xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x3x13x6xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32> {
    %0 = linalg.pooling_nchw_max {dilations = dense<3> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x13x6xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x2xi32>) -> tensor<2x3x4x2xi32>
    return %0 : tensor<2x3x4x2xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x3xf32>, %arg1: tensor<2x4x3xf32>, %arg2: tensor<2x3x4x2x3xf32>) -> tensor<2x3x4x2x3xf32> {
    %0 = linalg.pooling_ndhwc_sum {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x8x16x9x3xf32>, tensor<2x4x3xf32>) outs(%arg2 : tensor<2x3x4x2x3xf32>) -> tensor<2x3x4x2x3xf32>
    return %0 : tensor<2x3x4x2x3xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x3xi8>, %arg1: tensor<2x4x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.pooling_ndhwc_max {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x8x16x9x3xi8>, tensor<2x4x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<2x8x16x9x3xi8>, %arg1: tensor<2x4x3xi8>, %arg2: tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32> {
    %0 = linalg.pooling_ndhwc_min {dilations = dense<3> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x8x16x9x3xi8>, tensor<2x4x3xi8>) outs(%arg2 : tensor<2x3x4x2x3xi32>) -> tensor<2x3x4x2x3xi32>
    return %0 : tensor<2x3x4x2x3xi32>
  }
}

// -----
module {
  func.func @f(%arg0: f64, %arg1: i32, %arg2: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = linalg.fill_rng_2d ins(%arg0, %arg0, %arg1 : f64, f64, i32) outs(%arg2 : tensor<4x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.abs ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.ceil ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.erf ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.exp ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.floor ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.log ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.negf ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.reciprocal ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.round ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.rsqrt ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.sqrt ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.square ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.tanh ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf16>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x?xf16>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi8>, %arg1: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.copy ins(%arg0 : tensor<4x?xi8>) outs(%arg1 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xi1>, %arg2: tensor<4x?xi1>) -> tensor<4x?xi1> {
    %0 = linalg.add ins(%arg0, %arg1 : tensor<4x?xi1>, tensor<4x?xi1>) outs(%arg2 : tensor<4x?xi1>) -> tensor<4x?xi1>
    return %0 : tensor<4x?xi1>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xi32>, %arg2: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.div_unsigned ins(%arg0, %arg1 : tensor<4x?xi32>, tensor<4x?xi32>) outs(%arg2 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xi1>, %arg2: tensor<4x?xi1>) -> tensor<4x?xi1> {
    %0 = linalg.max ins(%arg0, %arg1 : tensor<4x?xi1>, tensor<4x?xi1>) outs(%arg2 : tensor<4x?xi1>) -> tensor<4x?xi1>
    return %0 : tensor<4x?xi1>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.min ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xi32>, %arg2: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.mul ins(%arg0, %arg1 : tensor<4x?xi32>, tensor<4x?xi32>) outs(%arg2 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.powf ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.sub ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<exp>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<log>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<abs>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<ceil>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<floor>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<negf>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<reciprocal>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<round>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<sqrt>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<rsqrt>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<square>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<tanh>} ins(%arg0 : tensor<4x?xi32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<erf>} ins(%arg0 : tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xi1>, %arg2: tensor<4x?xi1>) -> tensor<4x?xi1> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%arg0, %arg1 : tensor<4x?xi1>, tensor<4x?xi1>) outs(%arg2 : tensor<4x?xi1>) -> tensor<4x?xi1>
    return %0 : tensor<4x?xi1>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi8>, %arg1: tensor<4x?xi8>, %arg2: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%arg0, %arg1 : tensor<4x?xi8>, tensor<4x?xi8>) outs(%arg2 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<div>} ins(%arg0, %arg1 : tensor<4x?xi32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xi1>, %arg2: tensor<4x?xi1>) -> tensor<4x?xi1> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<div_unsigned>} ins(%arg0, %arg1 : tensor<4x?xi1>, tensor<4x?xi1>) outs(%arg2 : tensor<4x?xi1>) -> tensor<4x?xi1>
    return %0 : tensor<4x?xi1>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi8>, %arg1: tensor<4x?xi8>, %arg2: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<min_signed>} ins(%arg0, %arg1 : tensor<4x?xi8>, tensor<4x?xi8>) outs(%arg2 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_unsigned>} ins(%arg0, %arg1 : tensor<4x?xi32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xi1>, %arg2: tensor<4x?xi1>) -> tensor<4x?xi1> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<min_unsigned>} ins(%arg0, %arg1 : tensor<4x?xi1>, tensor<4x?xi1>) outs(%arg2 : tensor<4x?xi1>) -> tensor<4x?xi1>
    return %0 : tensor<4x?xi1>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.elemwise_binary {fun = #linalg.binary_fn<powf>} ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg2 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi1>, %arg1: tensor<4x?xf32>, %arg2: tensor<4x?xf32>, %arg3: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<4x?xi1>, tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg3 : tensor<4x?xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xi8>, %arg1: tensor<4x4xi8>, %arg2: tensor<4x4xi32>) -> tensor<4x4xi32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%arg0, %arg1 : tensor<4x4xi8>, tensor<4x4xi8>) outs(%arg2 : tensor<4x4xi32>) -> tensor<4x4xi32>
    return %0 : tensor<4x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xf16>, %arg1: tensor<4x4xf16>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%arg0, %arg1 : tensor<4x4xf16>, tensor<4x4xf16>) outs(%arg2 : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xi8>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%arg0, %arg1 : tensor<4x4xi8>, tensor<4x4xf32>) outs(%arg2 : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xi32>) -> tensor<4x4xi32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg2 : tensor<4x4xi32>) -> tensor<4x4xi32>
    return %0 : tensor<4x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xi64>, %arg1: tensor<4x4xi64>, %arg2: tensor<4x4xi32>) -> tensor<4x4xi32> {
    %0 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%arg0, %arg1 : tensor<4x4xi64>, tensor<4x4xi64>) outs(%arg2 : tensor<4x4xi32>) -> tensor<4x4xi32>
    return %0 : tensor<4x4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x?xi8>, %arg1: tensor<4x?xi32>) -> tensor<4x?xi32> {
    %0 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0 : tensor<4x?xi8>) outs(%arg1 : tensor<4x?xi32>) -> tensor<4x?xi32>
    return %0 : tensor<4x?xi32>
  }
}

// -----
module {
  func.func @f(%arg0: i8, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %0 = linalg.fill ins(%arg0 : i8) outs(%arg1 : tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: f64, %arg1: i32, %arg2: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = linalg.fill_rng_2d ins(%arg0, %arg0, %arg1 : f64, f64, i32) outs(%arg2 : tensor<4x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
    %0 = linalg.matmul ins(%arg0, %arg0 : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%arg0 : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    return %0 : tensor<4x4xcomplex<f32>>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4x4xi1>, %arg1: tensor<4x4xi1>, %arg2: tensor<4x4xi1>) -> tensor<4x4xi1> {
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<4x4xi1>, tensor<4x4xi1>) outs(%arg2 : tensor<4x4xi1>) -> tensor<4x4xi1>
    return %0 : tensor<4x4xi1>
  }
}

// -----
module {
  func.func @map(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf32> {
    %mapped = linalg.map { arith.addf } ins(%arg0, %arg1 : tensor<4x?xf32>, tensor<4x?xf32>) outs(%arg1 : tensor<4x?xf32>)
    return %mapped : tensor<4x?xf32>
  }
}

// -----
module {
  func.func @map(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %mapped = linalg.map { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%arg1 : tensor<4xf32>) {test.x = 1 : i32}
    return %mapped : tensor<4xf32>
  }
}

// -----
module {
  func.func @map(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %mapped = linalg.map ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4xi32>)
      (%in: f32) {
        %0 = arith.mulf %in, %in : f32
        %1 = arith.fptosi %0 : f32 to i32
        linalg.yield %1 : i32
      }
    return %mapped : tensor<4xi32>
  }
}

// -----
module {
  func.func @map(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %mapped = linalg.map outs(%arg0 : tensor<4xi32>)
      () {
        %0 = linalg.index 0 : index
        %1 = arith.index_cast %0 : index to i32
        linalg.yield %1 : i32
      }
    return %mapped : tensor<4xi32>
  }
}

// -----
module {
  func.func @map(%arg0: memref<4xf32>, %arg1: memref<4xf32>) {
    linalg.map { math.exp } ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
    return
  }
}

// -----
module {
  func.func @reduce(%arg0: tensor<4x5xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1]
    return %reduced : tensor<4xf32>
  }
}

// -----
module {
  func.func @reduce(%arg0: tensor<4x5xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %reduced = linalg.reduce ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %0 = arith.addf %in, %init : f32
        linalg.yield %0 : f32
      }
    return %reduced : tensor<4xf32>
  }
}

// -----
module {
  func.func @reduce(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xi32>, %arg2: tensor<5xf32>, %arg3: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
    %reduced:2 = linalg.reduce ins(%arg0, %arg1 : tensor<4x5xf32>, tensor<4x5xi32>) outs(%arg2, %arg3 : tensor<5xf32>, tensor<5xi32>) dimensions = [0]  {test.x}
      (%in: f32, %in_0: i32, %init: f32, %init_1: i32) {
        %0 = arith.addf %in, %init : f32
        %1 = arith.maxsi %in_0, %init_1 : i32
        linalg.yield %0, %1 : f32, i32
      }
    return %reduced#0, %reduced#1 : tensor<5xf32>, tensor<5xi32>
  }
}

// -----
module {
  func.func @reduce(%arg0: memref<4x5xi32>, %arg1: memref<i32>) {
    linalg.reduce { arith.addi {overflowFlags = #arith.overflow<nsw>} } ins(%arg0 : memref<4x5xi32>) outs(%arg1 : memref<i32>) dimensions = [0, 1]
    return
  }
}

// -----
module {
  func.func @broadcast(%arg0: tensor<4xf32>, %arg1: tensor<4x5xf32>, %arg2: memref<f32>, %arg3: memref<4xf32>) -> tensor<4x5xf32> {
    %broadcasted = linalg.broadcast ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4x5xf32>) dimensions = [1]
    linalg.broadcast ins(%arg2 : memref<f32>) outs(%arg3 : memref<4xf32>) dimensions = [0]
    return %broadcasted : tensor<4x5xf32>
  }
}

// -----
module {
  func.func @transpose(%arg0: tensor<4x5xf32>, %arg1: tensor<5x4xf32>, %arg2: memref<4x5xf32>, %arg3: memref<5x4xf32>) -> tensor<5x4xf32> {
    %transposed = linalg.transpose ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<5x4xf32>) permutation = [1, 0]
    linalg.transpose ins(%arg2 : memref<4x5xf32>) outs(%arg3 : memref<5x4xf32>) permutation = [1, 0]
    return %transposed : tensor<5x4xf32>
  }
}

// -----
module {
  func.func @softmax(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf32>, %arg2: memref<4x5xf32>) -> tensor<4x5xf32> {
    %0 = linalg.softmax dimension(1) ins(%arg0 : tensor<4x5xf32>) outs(%arg1 : tensor<4x5xf32>) -> tensor<4x5xf32>
    linalg.softmax {test.x} dimension(0) ins(%arg2 : memref<4x5xf32>) outs(%arg2 : memref<4x5xf32>)
    return %0 : tensor<4x5xf32>
  }
}

// -----
module {
  func.func @winograd(%arg0: tensor<2x3x3x5xf32>, %arg1: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
    %0 = linalg.winograd_filter_transform m(4) r(3) ins(%arg0 : tensor<2x3x3x5xf32>) outs(%arg1 : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
    return %0 : tensor<6x6x5x2xf32>
  }
}

// -----
module {
  func.func @winograd(%arg0: tensor<2x10x10x5xf32>, %arg1: tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32> {
    %0 = linalg.winograd_input_transform m(4) r(3) ins(%arg0 : tensor<2x10x10x5xf32>) outs(%arg1 : tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32>
    return %0 : tensor<6x6x2x2x2x5xf32>
  }
}

// -----
module {
  func.func @winograd(%arg0: tensor<6x6x2x2x2x2xf32>, %arg1: tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32> {
    %0 = linalg.winograd_output_transform m(4) r(3) ins(%arg0 : tensor<6x6x2x2x2x2xf32>) outs(%arg1 : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
    return %0 : tensor<2x8x8x2xf32>
  }
}

// -----
#map = affine_map<(d0) -> (d0)>
module {
  func.func @generic(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
    %0:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<4xf32>) outs(%arg1, %arg2 : tensor<4xf32>, tensor<4xi1>) attrs =  {test.x = 1 : i32} {
    ^bb0(%in: f32, %out: f32, %out_0: i1):
      %1 = arith.addf %in, %out : f32
      linalg.yield %1, %out_0 : f32, i1
    } -> (tensor<4xf32>, tensor<4xi1>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xi1>
  }
}

// -----
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @generic(%arg0: f32, %arg1: memref<4x?xf32>, %arg2: memref<4xf32>) {
    linalg.generic {doc = "sums", indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"], library_call = "sums"} ins(%arg0, %arg1 : f32, memref<4x?xf32>) outs(%arg2 : memref<4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %0 : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.addf %in_0, %out : f32
      %4 = arith.mulf %2, %in : f32
      %5 = arith.addf %3, %4 : f32
      linalg.yield %5 : f32
    }
    return
  }
}

// -----
module {
  func.func @fill(%arg0: i8, %arg1: memref<4x?xi32>, %arg2: tensor<f32>) -> tensor<f32> {
    linalg.fill ins(%arg0 : i8) outs(%arg1 : memref<4x?xi32>)
    %cst = arith.constant 1.500000e+00 : f32
    %0 = linalg.fill {test.x} ins(%cst : f32) outs(%arg2 : tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----
module {
  func.func @buffers(%arg0: memref<4x5xi8>, %arg1: memref<5x6xi8>, %arg2: memref<4x6xi32>, %arg3: memref<1x8x8x2xf32, strided<[?, ?, ?, ?], offset: ?>>, %arg4: memref<3x3xf32>, %arg5: memref<1x3x3x2xf32>) {
    linalg.matmul ins(%arg0, %arg1 : memref<4x5xi8>, memref<5x6xi8>) outs(%arg2 : memref<4x6xi32>)
    linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg3, %arg4 : memref<1x8x8x2xf32, strided<[?, ?, ?, ?], offset: ?>>, memref<3x3xf32>) outs(%arg5 : memref<1x3x3x2xf32>)
    linalg.copy ins(%arg2 : memref<4x6xi32>) outs(%arg2 : memref<4x6xi32>)
    linalg.elemwise_binary {cast = #linalg.type_fn<cast_unsigned>, fun = #linalg.binary_fn<mul>} ins(%arg2, %arg2 : memref<4x6xi32>, memref<4x6xi32>) outs(%arg2 : memref<4x6xi32>)
    return
  }
}
