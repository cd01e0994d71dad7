// {"kind": "halves", "entry": "chunk35", "traits": ["half"], "arguments": [["a0", ["memref", [3, 2], "f32"], [0, 0], false], ["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out5", ["memref", [2, 1], "bf16"], [0, 0], true], ["out6", ["memref", [1, 2], "bf16"], [0, 0], true], ["out7", ["memref", [1, 2], "i1"], [0, 0], true]], "results": [["out_bf16", ["memref", [1], "bf16"], [0, 0], true], ["out_f32", ["memref", [1], "f32"], [0, 0], true], ["out_i1", ["memref", [2], "i1"], [0, 0], true], ["out_i8", ["memref", [2], "i8"], [0, 0], true], ["out_index", ["memref", [3], "index"], [0, 0], true], ["out5", ["memref", [2, 1], "bf16"], [0, 0], true], ["out6", ["memref", [1, 2], "bf16"], [0, 0], true], ["out7", ["memref", [1, 2], "i1"], [0, 0], true]]}
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @chunk35(%arg0: memref<3x2xf32>, %arg1: memref<1xbf16> {tilewright.output}, %arg2: memref<1xf32> {tilewright.output}, %arg3: memref<2xi1> {tilewright.output}, %arg4: memref<2xi8> {tilewright.output}, %arg5: memref<3xindex> {tilewright.output}, %arg6: memref<2x1xbf16> {tilewright.output}, %arg7: memref<1x2xbf16> {tilewright.output}, %arg8: memref<1x2xi1> {tilewright.output}) {
    %alloca = memref.alloca() : memref<2x1xbf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %arg9 = %c0 to %c2 step %c1 {
      scf.for %arg10 = %c0 to %c1 step %c1 {
        %cst = arith.constant -5.650000e+01 : bf16
        memref.store %cst, %alloca[%arg9, %arg10] : memref<2x1xbf16>
      }
    }
    %alloca_0 = memref.alloca() : memref<1x2xbf16>
    scf.for %arg9 = %c0 to %c1 step %c1 {
      scf.for %arg10 = %c0 to %c2 step %c1 {
        %cst = arith.constant -1.000000e+00 : bf16
        memref.store %cst, %alloca_0[%arg9, %arg10] : memref<1x2xbf16>
      }
    }
    %alloc = memref.alloc() : memref<1x2xi1>
    %true = arith.constant true
    linalg.fill ins(%true : i1) outs(%alloc : memref<1x2xi1>)
    linalg.generic {indexing_maps = [#map, #map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%alloca, %alloca, %alloca_0 : memref<2x1xbf16>, memref<2x1xbf16>, memref<1x2xbf16>) outs(%alloc : memref<1x2xi1>) {
    ^bb0(%in: bf16, %in_2: bf16, %in_3: bf16, %out: i1):
      %cst = arith.constant -8.078130e+00 : f16
      %3 = math.sqrt %cst : f16
      %c0_i16 = arith.constant 0 : i16
      %sum, %overflow = arith.addui_extended %c0_i16, %c0_i16 : i16, i1
      %4 = arith.addi %out, %overflow : i1
      linalg.yield %4 : i1
    }
    %0 = memref.load %alloca[%c0, %c0] : memref<2x1xbf16>
    %false = arith.constant false
    %c-2_i8 = arith.constant -2 : i8
    %1 = arith.select %false, %c-2_i8, %c-2_i8 : i8
    %2 = arith.extf %0 : bf16 to f32
    memref.store %0, %arg1[%c0] : memref<1xbf16>
    memref.store %2, %arg2[%c0] : memref<1xf32>
    memref.store %true, %arg3[%c0] : memref<2xi1>
    memref.store %false, %arg3[%c1] : memref<2xi1>
    memref.store %c-2_i8, %arg4[%c0] : memref<2xi8>
    memref.store %1, %arg4[%c1] : memref<2xi8>
    %c0_1 = arith.constant 0 : index
    memref.store %c0, %arg5[%c0_1] : memref<3xindex>
    memref.store %c1, %arg5[%c1] : memref<3xindex>
    memref.store %c2, %arg5[%c2] : memref<3xindex>
    memref.copy %alloca, %arg6 : memref<2x1xbf16> to memref<2x1xbf16>
    memref.copy %alloca_0, %arg7 : memref<1x2xbf16> to memref<1x2xbf16>
    memref.copy %alloc, %arg8 : memref<1x2xi1> to memref<1x2xi1>
    return
  }
}
