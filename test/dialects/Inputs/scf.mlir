module {
  func.func @forall(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: index) -> tensor<8x16xf32> {
    %0 = scf.forall (%arg3, %arg4) in (8, 4) shared_outs(%arg5 = %arg1) -> (tensor<8x16xf32>) {
      %1 = arith.muli %arg4, %arg2 : index
      %extracted_slice = tensor.extract_slice %arg0[%arg3, %1] [1, 4] [1, 1] : tensor<8x16xf32> to tensor<1x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %extracted_slice into %arg5[%arg3, %1] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x16xf32>
      }
    }
    return %0 : tensor<8x16xf32>
  }
}

// -----
module {
  func.func @forall(%arg0: memref<8x16xf32>, %arg1: index, %arg2: f32) {
    scf.forall (%arg3, %arg4) in (%arg1, 16) {
      memref.store %arg2, %arg0[%arg3, %arg4] : memref<8x16xf32>
    }
    scf.forall (%arg3) = (1) to (%arg1) step (2) {
      memref.store %arg2, %arg0[%arg3, %arg3] : memref<8x16xf32>
    } {test.x}
    return
  }
}

// -----
module {
  func.func @forall(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: index) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = scf.forall (%arg3) = (0) to (4) step (%arg2) shared_outs(%arg4 = %arg0, %arg5 = %arg1) -> (tensor<4xf32>, tensor<4xf32>) {
      %extracted_slice = tensor.extract_slice %arg0[%arg3] [1] [1] : tensor<4xf32> to tensor<f32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %extracted_slice into %arg4[%arg3] [1] [1] : tensor<f32> into tensor<4xf32>
        tensor.parallel_insert_slice %extracted_slice into %arg5[%arg3] [1] [1] {test.x} : tensor<f32> into tensor<4xf32>
      }
    }
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----
module {
  func.func @scf(%arg0: index, %arg1: i1, %arg2: f32, %arg3: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = scf.for %arg4 = %c0 to %arg0 step %c1 iter_args(%arg5 = %arg2) -> (f32) {
      %5 = scf.if %arg1 -> (f32) {
        %6 = arith.addf %arg5, %arg2 : f32
        scf.yield %6 : f32
      } else {
        scf.yield %arg5 : f32
      }
      scf.yield %5 : f32
    }
    %1 = scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%arg0, %arg0) step (%c1, %c1) init (%arg2) -> f32 {
      scf.reduce(%arg2 : f32) {
      ^bb0(%arg6: f32, %arg7: f32):
        %5 = arith.addf %arg6, %arg7 : f32
        scf.reduce.return %5 : f32
      }
    }
    scf.parallel (%arg4) = (%c0) to (%arg0) step (%c1) {
      memref.store %arg2, %arg3[%arg4] : memref<?xf32>
      scf.reduce
    }
    %2:2 = scf.while (%arg4 = %arg2, %arg5 = %arg0) : (f32, index) -> (f32, index) {
      %5 = arith.cmpi slt, %arg5, %arg0 : index
      scf.condition(%5) %arg4, %arg5 : f32, index
    } do {
    ^bb0(%arg4: f32, %arg5: index):
      scf.yield %arg4, %arg5 : f32, index
    }
    %3 = scf.index_switch %arg0 -> f32
    case 2 {
      scf.yield %arg2 : f32
    }
    default {
      scf.yield %1 : f32
    }
    %4 = scf.execute_region -> f32 {
      cf.br ^bb1
    ^bb1:  // pred: ^bb0
      scf.yield %arg2 : f32
    }
    %c1_i32 = arith.constant 1 : i32
    scf.for %arg4 = %c1_i32 to %c1_i32 step %c1_i32  : i32 {
    }
    return %4 : f32
  }
}
