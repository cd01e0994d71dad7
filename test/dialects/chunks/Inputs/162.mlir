// {"kind": "metadata", "entry": "chunk162", "traits": [], "arguments": [["a0", ["memref", [2, 1], "f32"], [0, 0], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true], ["o5", ["memref", [], "index"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true], ["o5", ["memref", [], "index"], [0, 0], true]]}
module {
  func.func @chunk162(%arg0: memref<2x1xf32>, %arg1: memref<index> {tilewright.output}, %arg2: memref<index> {tilewright.output}, %arg3: memref<index> {tilewright.output}, %arg4: memref<index> {tilewright.output}, %arg5: memref<index> {tilewright.output}, %arg6: memref<index> {tilewright.output}) {
    %subview = memref.subview %arg0[1, 0] [1, 1] [1, 1] : memref<2x1xf32> to memref<1x1xf32, strided<[1, 1], offset: 1>>
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %subview : memref<1x1xf32, strided<[1, 1], offset: 1>> -> memref<f32>, index, index, index, index, index
    memref.store %offset, %arg1[] : memref<index>
    memref.store %sizes#0, %arg2[] : memref<index>
    memref.store %sizes#1, %arg3[] : memref<index>
    memref.store %strides#0, %arg4[] : memref<index>
    memref.store %strides#1, %arg5[] : memref<index>
    %0 = memref.rank %arg0 : memref<2x1xf32>
    memref.store %0, %arg6[] : memref<index>
    return
  }
}
