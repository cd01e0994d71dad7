module {
  func.func @elements(%arg0: f32, %arg1: vector<4xf32>, %arg2: vector<2x4xf32>, %arg3: index, %arg4: vector<f32>, %arg5: i32) -> f32 {
    %0 = vector.extractelement %arg1[%arg3 : index] : vector<4xf32>
    %1 = vector.extractelement %arg4[] : vector<f32>
    %2 = vector.insertelement %arg0, %arg1[%arg5 : i32] : vector<4xf32>
    %3 = vector.insertelement %arg0, %arg4[] : vector<f32>
    %4 = vector.extract %arg2[1, 2] : f32 from vector<2x4xf32>
    %5 = vector.extract %arg2[%arg3] : vector<4xf32> from vector<2x4xf32>
    %6 = vector.extract %arg2[1, %arg3] : f32 from vector<2x4xf32>
    %7 = vector.insert %arg1, %arg2 [1] : vector<4xf32> into vector<2x4xf32>
    %8 = vector.insert %arg0, %arg2 [%arg3, 0] : f32 into vector<2x4xf32>
    %9 = vector.from_elements %arg0, %arg0, %arg0, %arg0 : vector<2x2xf32>
    %10 = vector.splat %arg0 : vector<4xf32>
    %11 = vector.broadcast %arg0 : f32 to vector<2x4xf32>
    %12 = vector.broadcast %arg1 : vector<4xf32> to vector<2x4xf32>
    %13 = vector.step : vector<4xindex>
    %14 = vector.extract %arg4[] : f32 from vector<f32>
    return %0 : f32
  }
}

// -----
module {
  func.func @slices(%arg0: vector<8xf32>, %arg1: vector<4x8xf32>, %arg2: vector<2x2xf32>, %arg3: vector<[4]xf32>, %arg4: vector<[16]xf32>) -> vector<2x2xf32> {
    %0 = vector.extract_strided_slice %arg1 {offsets = [1, 2], sizes = [2, 2], strides = [1, 1]} : vector<4x8xf32> to vector<2x2xf32>
    %1 = vector.extract_strided_slice %arg1 {offsets = [1], sizes = [2], strides = [1]} : vector<4x8xf32> to vector<2x8xf32>
    %2 = vector.insert_strided_slice %arg2, %arg1 {offsets = [1, 2], strides = [1, 1]} : vector<2x2xf32> into vector<4x8xf32>
    %3 = vector.insert_strided_slice %arg0, %arg1 {offsets = [3, 0], strides = [1]} : vector<8xf32> into vector<4x8xf32>
    %4 = vector.shape_cast %arg1 : vector<4x8xf32> to vector<32xf32>
    %5 = vector.transpose %arg1, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
    %6 = vector.shuffle %arg0, %arg0 [0, 9, 3, 2] : vector<8xf32>, vector<8xf32>
    %7 = vector.interleave %arg0, %arg0 : vector<8xf32> -> vector<16xf32>
    %res1, %res2 = vector.deinterleave %arg0 : vector<8xf32> -> vector<4xf32>
    %8 = vector.bitcast %arg0 : vector<8xf32> to vector<8xi32>
    %9 = vector.scalable.insert %arg3, %arg4[4] : vector<[4]xf32> into vector<[16]xf32>
    %10 = vector.scalable.extract %arg4[4] : vector<[4]xf32> from vector<[16]xf32>
    %11 = vector.scalable.insert %arg0, %arg3[0] {test.x} : vector<8xf32> into vector<[4]xf32>
    %vscale = vector.vscale
    %12 = vector.flat_transpose %arg0 {columns = 4 : i32, rows = 2 : i32} : vector<8xf32> -> vector<8xf32>
    return %0 : vector<2x2xf32>
  }
}

// -----
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
module {
  func.func @sums(%arg0: vector<4x8xf32>, %arg1: vector<8x2xf32>, %arg2: vector<4x2xf32>, %arg3: vector<4xf32>, %arg4: vector<2xf32>, %arg5: f32, %arg6: vector<4xi32>, %arg7: i32, %arg8: vector<4x8xi1>) -> f32 {
    %0 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %arg0, %arg1, %arg2 : vector<4x8xf32>, vector<8x2xf32> into vector<4x2xf32>
    %1 = vector.contract {indexing_maps = [#map3, #map3, #map4], iterator_types = ["reduction"], kind = #vector.kind<maximumf>} %arg3, %arg3, %arg5 : vector<4xf32>, vector<4xf32> into f32
    %2 = vector.outerproduct %arg3, %arg4, %arg2 {kind = #vector.kind<add>} : vector<4xf32>, vector<2xf32>
    %3 = vector.outerproduct %arg3, %arg4 : vector<4xf32>, vector<2xf32>
    %4 = vector.outerproduct %arg3, %arg5, %arg3 {kind = #vector.kind<maxnumf>} : vector<4xf32>, f32
    %5 = vector.multi_reduction <add>, %arg0, %arg3 [1] : vector<4x8xf32> to vector<4xf32>
    %6 = vector.multi_reduction <mul>, %arg0, %arg5 [0, 1] : vector<4x8xf32> to f32
    %7 = vector.reduction <add>, %arg3 : vector<4xf32> into f32
    %8 = vector.reduction <add>, %arg3, %arg5 fastmath<reassoc> : vector<4xf32> into f32
    %9 = vector.reduction <minsi>, %arg6 : vector<4xi32> into i32
    %dest, %accumulated_value = vector.scan <add>, %arg0, %arg3 {inclusive = true, reduction_dim = 1 : i64} : vector<4x8xf32>, vector<4xf32>
    %10 = vector.matrix_multiply %arg3, %arg3 {lhs_columns = 2 : i32, lhs_rows = 2 : i32, rhs_columns = 2 : i32} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %11 = vector.fma %arg3, %arg3, %arg3 : vector<4xf32>
    %12 = vector.mask %arg8 { vector.multi_reduction <add>, %arg0, %arg3 [1] : vector<4x8xf32> to vector<4xf32> } : vector<4x8xi1> -> vector<4xf32>
    return %7 : f32
  }
}

// -----
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
module {
  func.func @memory(%arg0: memref<8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: vector<4xf32>, %arg3: vector<2x4xf32>, %arg4: index, %arg5: vector<4xi1>, %arg6: vector<4xi32>, %arg7: f32, %arg8: vector<2x4xi1>, %arg9: memref<4xf32>) -> vector<4xf32> {
    %0 = vector.load %arg0[%arg4, %arg4] : memref<8x16xf32>, vector<4xf32>
    vector.store %arg2, %arg0[%arg4, %arg4] : memref<8x16xf32>, vector<4xf32>
    %1 = vector.maskedload %arg0[%arg4, %arg4], %arg5, %arg2 : memref<8x16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.maskedstore %arg0[%arg4, %arg4], %arg5, %arg2 : memref<8x16xf32>, vector<4xi1>, vector<4xf32>
    %2 = vector.gather %arg0[%arg4, %arg4] [%arg6], %arg5, %arg2 : memref<8x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %3 = vector.gather %arg1[%arg4, %arg4] [%arg6], %arg5, %arg2 : tensor<8x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.scatter %arg0[%arg4, %arg4] [%arg6], %arg5, %arg2 : memref<8x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
    %4 = vector.expandload %arg0[%arg4, %arg4], %arg5, %arg2 : memref<8x16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.compressstore %arg0[%arg4, %arg4], %arg5, %arg2 : memref<8x16xf32>, vector<4xi1>, vector<4xf32>
    %5 = vector.transfer_read %arg0[%arg4, %arg4], %arg7 : memref<8x16xf32>, vector<2x4xf32>
    %6 = vector.transfer_read %arg0[%arg4, %arg4], %arg7 {in_bounds = [true, false]} : memref<8x16xf32>, vector<2x4xf32>
    %7 = vector.transfer_read %arg1[%arg4, %arg4], %arg7, %arg8 {permutation_map = #map} : tensor<8x16xf32>, vector<4x2xf32>
    %8 = vector.transfer_read %arg0[%arg4, %arg4], %arg7 {in_bounds = [true, false], permutation_map = #map1} : memref<8x16xf32>, vector<2x4xf32>
    vector.transfer_write %arg3, %arg0[%arg4, %arg4] : vector<2x4xf32>, memref<8x16xf32>
    vector.transfer_write %arg2, %arg0[%arg4, %arg4], %arg5 {in_bounds = [true]} : vector<4xf32>, memref<8x16xf32>
    %9 = vector.transfer_write %arg3, %arg1[%arg4, %arg4] {permutation_map = #map} : vector<2x4xf32>, tensor<8x16xf32>
    %10 = vector.constant_mask [3] : vector<4xi1>
    %11 = vector.constant_mask [1, 3] : vector<2x4xi1>
    %12 = vector.create_mask %arg4 : vector<4xi1>
    %13 = vector.create_mask %arg4, %arg4 : vector<2x4xi1>
    %14 = vector.mask %arg5 { vector.transfer_read %arg0[%arg4, %arg4], %arg7 : memref<8x16xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
    vector.mask %arg5 { vector.transfer_write %arg2, %arg0[%arg4, %arg4] : vector<4xf32>, memref<8x16xf32> } : vector<4xi1>
    %15 = vector.type_cast %arg9 : memref<4xf32> to memref<vector<4xf32>>
    vector.print %arg2 : vector<4xf32>
    vector.print %arg7 : f32 punctuation <comma>
    vector.print
    vector.print str "text"
    return %0 : vector<4xf32>
  }
}

// -----
module {
  func.func @warp(%arg0: index, %arg1: vector<1xf32>) -> vector<1xf32> {
    %0 = vector.warp_execute_on_lane_0(%arg0)[32] -> (vector<1xf32>) {
      %cst = arith.constant dense<0.000000e+00> : vector<32xf32>
      vector.yield %cst : vector<32xf32>
    }
    return %0 : vector<1xf32>
  }
}

// -----
module {
  func.func @warp(%arg0: index, %arg1: vector<1xf32>) {
    vector.warp_execute_on_lane_0(%arg0)[32] args(%arg1 : vector<1xf32>) {
    ^bb0(%arg2: vector<32xf32>):
      vector.print %arg2 : vector<32xf32>
    }
    return
  }
}

// -----
module {
  func.func @reshaped(%arg0: vector<3x2x4xf32>, %arg1: index, %arg2: index) -> vector<2x3x4xf32> {
    %0 = vector.reshape %arg0, [%arg1, %arg2], [%arg2, %arg1], [4] : vector<3x2x4xf32> to vector<2x3x4xf32>
    return %0 : vector<2x3x4xf32>
  }
}
