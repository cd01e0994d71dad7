// {"kind": "views", "entry": "chunk189", "traits": [], "arguments": [["a0", ["memref", [1, 4], "f32"], [0, 0], false], ["a1", "f32", [0, 7], false], ["o0", ["memref", [4, 1], "f32"], [0, 0], true], ["o1", ["memref", [4], "f32"], [0, 0], true], ["o2", ["memref", [], "f32"], [0, 0], true]], "results": [["o0", ["memref", [4, 1], "f32"], [0, 0], true], ["o1", ["memref", [4], "f32"], [0, 0], true], ["o2", ["memref", [], "f32"], [0, 0], true]]}
module {
  func.func @chunk189(%arg0: memref<1x4xf32>, %arg1: f32, %arg2: memref<4x1xf32> {tilewright.output}, %arg3: memref<4xf32> {tilewright.output}, %arg4: memref<f32> {tilewright.output}) {
    %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<1x4xf32> to memref<4x1xf32, strided<[1, 4]>>
    memref.copy %transpose, %arg2 : memref<4x1xf32, strided<[1, 4]>> to memref<4x1xf32>
    %alloc = memref.alloc() : memref<1xindex>
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    memref.store %c4, %alloc[%c0] : memref<1xindex>
    %reshape = memref.reshape %arg0(%alloc) : (memref<1x4xf32>, memref<1xindex>) -> memref<4xf32>
    memref.copy %reshape, %arg3 : memref<4xf32> to memref<4xf32>
    %alloc_0 = memref.alloc() {alignment = 16 : i64} : memref<32xi8>
    %c0_1 = arith.constant 0 : index
    %view = memref.view %alloc_0[%c0_1][] : memref<32xi8> to memref<4xf32>
    memref.store %arg1, %view[%c0] : memref<4xf32>
    %0 = memref.load %view[%c0] : memref<4xf32>
    memref.store %0, %arg4[] : memref<f32>
    return
  }
}
