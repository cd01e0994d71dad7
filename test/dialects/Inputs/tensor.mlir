module {
  func.func @tensor(%arg0: tensor<4x?xi32>, %arg1: index, %arg2: i32, %arg3: tensor<1x2x1xindex>, %arg4: tensor<1x2xi32>, %arg5: tensor<2xindex>) -> tensor<?x4xi32> {
    %0 = tensor.bitcast %arg0 : tensor<4x?xi32> to tensor<4x?xui32>
    %rank = tensor.rank %arg0 : tensor<4x?xi32>
    %generated = tensor.generate %arg1 {
    ^bb0(%arg6: index, %arg7: index):
      tensor.yield %arg2 : i32
    } : tensor<?x4xi32>
    %cast = tensor.cast %arg0 : tensor<4x?xi32> to tensor<4x4xi32>
    %gather = tensor.gather %cast[%arg3] gather_dims([0]) : (tensor<4x4xi32>, tensor<1x2x1xindex>) -> tensor<1x2x4xi32>
    %gather_0 = tensor.gather %cast[%arg3] gather_dims([1]) unique : (tensor<4x4xi32>, tensor<1x2x1xindex>) -> tensor<1x2x4x1xi32>
    %scatter = tensor.scatter %gather_0 into %cast[%arg3] scatter_dims([1]) unique : (tensor<1x2x4x1xi32>, tensor<4x4xi32>, tensor<1x2x1xindex>) -> tensor<4x4xi32>
    %splat = tensor.splat %arg2 : tensor<4x4xi32>
    %splat_1 = tensor.splat %arg2[%arg1] : tensor<4x?xi32>
    %from_elements = tensor.from_elements %arg2, %arg2, %arg2, %arg2 : tensor<2x2xi32>
    %concat = tensor.concat dim(0) %cast, %splat : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<8x4xi32>
    %reshape = tensor.reshape %arg0(%arg5) : (tensor<4x?xi32>, tensor<2xindex>) -> tensor<?x?xi32>
    %padded = tensor.pad %cast low[1, %arg1] high[0, 2] {
    ^bb0(%arg6: index, %arg7: index):
      tensor.yield %arg2 : i32
    } : tensor<4x4xi32> to tensor<5x?xi32>
    %dim = tensor.dim %arg0, %arg1 : tensor<4x?xi32>
    %extracted = tensor.extract %arg0[%arg1, %arg1] : tensor<4x?xi32>
    %inserted = tensor.insert %extracted into %arg0[%arg1, %arg1] : tensor<4x?xi32>
    %extracted_slice = tensor.extract_slice %arg0[0, %arg1] [4, 1] [1, 1] : tensor<4x?xi32> to tensor<4xi32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %arg0[0, %arg1] [4, 1] [1, 1] : tensor<4xi32> into tensor<4x?xi32>
    %collapsed = tensor.collapse_shape %cast [[0, 1]] : tensor<4x4xi32> into tensor<16xi32>
    %expanded = tensor.expand_shape %collapsed [[0, 1]] output_shape [4, 4] : tensor<16xi32> into tensor<4x4xi32>
    %1 = tensor.empty(%arg1) : tensor<?x4xi32>
    return %generated : tensor<?x4xi32>
  }
}

// -----
module {
  func.func @pack(%arg0: tensor<8x16xf32>, %arg1: tensor<4x2x2x8xf32>, %arg2: f32, %arg3: tensor<7x16xf32>, %arg4: tensor<2x4x2x8xf32>, %arg5: tensor<2x4x8x2xf32>, %arg6: tensor<?x?xf32>, %arg7: tensor<?x?x?x?xf32>, %arg8: index) -> tensor<8x16xf32> {
    %pack = tensor.pack %arg0 inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %arg1 : tensor<8x16xf32> -> tensor<4x2x2x8xf32>
    %pack_0 = tensor.pack %arg3 padding_value(%arg2 : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %arg4 : tensor<7x16xf32> -> tensor<2x4x2x8xf32>
    %unpack = tensor.unpack %pack inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %arg0 : tensor<4x2x2x8xf32> -> tensor<8x16xf32>
    %unpack_1 = tensor.unpack %pack_0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %arg0 {test.x} : tensor<2x4x2x8xf32> -> tensor<8x16xf32>
    %pack_2 = tensor.pack %arg6 padding_value(%arg2 : f32) inner_dims_pos = [0, 1] inner_tiles = [%arg8, %arg8] into %arg7 : tensor<?x?xf32> -> tensor<?x?x?x?xf32>
    return %unpack : tensor<8x16xf32>
  }
}
