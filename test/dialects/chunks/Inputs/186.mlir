// {"kind": "tensor_forall", "entry": "chunk186", "traits": [], "arguments": [["a0", ["tensor", [4], "i8"], [0, 0], false], ["a1", ["tensor", [4], "i8"], [0, 0], false]], "results": [["r0", ["tensor", [4], "i8"], [0, 0], true]]}
#map = affine_map<(d0) -> (d0 * 2)>
module {
  func.func @chunk186(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8> {
    %0 = scf.forall (%arg2) in (2) shared_outs(%arg3 = %arg1) -> (tensor<4xi8>) {
      %1 = affine.apply #map(%arg2)
      %extracted_slice = tensor.extract_slice %arg0[%1] [2] [1] : tensor<4xi8> to tensor<2xi8>
      %extracted_slice_0 = tensor.extract_slice %arg3[%1] [2] [1] : tensor<4xi8> to tensor<2xi8>
      %2 = arith.muli %extracted_slice, %extracted_slice_0 : tensor<2xi8>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %2 into %arg3[%1] [2] [1] : tensor<2xi8> into tensor<4xi8>
      }
    }
    return %0 : tensor<4xi8>
  }
}
