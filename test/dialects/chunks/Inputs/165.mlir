// {"kind": "packed", "entry": "chunk165", "traits": ["pack"], "arguments": [["a0", ["tensor", [2, 1], "i8"], [0, 0], false], ["a1", ["tensor", [1, 1, 2, 1], "i8"], [0, 0], false], ["a2", ["tensor", [2, 1], "i8"], [0, 0], false], ["a3", ["tensor", [], "i8"], [0, 7], false], ["a4", ["tensor", [1, 1], "i8"], [0, 0], false], ["a5", ["tensor", [1, 1, 2, 1], "i8"], [0, 0], false]], "results": [["r0", ["tensor", [1, 1, 2, 1], "i8"], [0, 0], true], ["r1", ["tensor", [2, 1], "i8"], [0, 0], true], ["r2", ["tensor", [1, 1, 2, 1], "i8"], [0, 0], true]]}
module {
  func.func @chunk165(%arg0: tensor<2x1xi8>, %arg1: tensor<1x1x2x1xi8>, %arg2: tensor<2x1xi8>, %arg3: tensor<i8>, %arg4: tensor<1x1xi8>, %arg5: tensor<1x1x2x1xi8>) -> (tensor<1x1x2x1xi8>, tensor<2x1xi8>, tensor<1x1x2x1xi8>) {
    %pack = tensor.pack %arg0 inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %arg1 : tensor<2x1xi8> -> tensor<1x1x2x1xi8>
    %unpack = tensor.unpack %pack inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %arg2 : tensor<1x1x2x1xi8> -> tensor<2x1xi8>
    %extracted = tensor.extract %arg3[] : tensor<i8>
    %pack_0 = tensor.pack %arg4 padding_value(%extracted : i8) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %arg5 : tensor<1x1xi8> -> tensor<1x1x2x1xi8>
    return %pack, %unpack, %pack_0 : tensor<1x1x2x1xi8>, tensor<2x1xi8>, tensor<1x1x2x1xi8>
  }
}
