// {"kind": "index_arithmetic", "entry": "chunk222", "traits": [], "arguments": [["a0", "index", [-9, 9], false], ["a1", "index", [-9, 9], false], ["a2", "index", [1, 7], false], ["a3", "index", [0, 7], false], ["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true], ["o5", ["memref", [], "index"], [0, 0], true], ["o6", ["memref", [], "index"], [0, 0], true], ["o7", ["memref", [], "index"], [0, 0], true], ["o8", ["memref", [], "index"], [0, 0], true], ["o9", ["memref", [], "index"], [0, 0], true], ["o10", ["memref", [], "index"], [0, 0], true], ["o11", ["memref", [], "index"], [0, 0], true], ["o12", ["memref", [], "index"], [0, 0], true], ["o13", ["memref", [], "index"], [0, 0], true], ["o14", ["memref", [], "index"], [0, 0], true], ["o15", ["memref", [], "index"], [0, 0], true], ["o16", ["memref", [], "index"], [0, 0], true], ["o17", ["memref", [], "index"], [0, 0], true], ["o18", ["memref", [], "index"], [0, 0], true], ["o19", ["memref", [], "index"], [0, 0], true]], "results": [["o0", ["memref", [], "index"], [0, 0], true], ["o1", ["memref", [], "index"], [0, 0], true], ["o2", ["memref", [], "index"], [0, 0], true], ["o3", ["memref", [], "index"], [0, 0], true], ["o4", ["memref", [], "index"], [0, 0], true], ["o5", ["memref", [], "index"], [0, 0], true], ["o6", ["memref", [], "index"], [0, 0], true], ["o7", ["memref", [], "index"], [0, 0], true], ["o8", ["memref", [], "index"], [0, 0], true], ["o9", ["memref", [], "index"], [0, 0], true], ["o10", ["memref", [], "index"], [0, 0], true], ["o11", ["memref", [], "index"], [0, 0], true], ["o12", ["memref", [], "index"], [0, 0], true], ["o13", ["memref", [], "index"], [0, 0], true], ["o14", ["memref", [], "index"], [0, 0], true], ["o15", ["memref", [], "index"], [0, 0], true], ["o16", ["memref", [], "index"], [0, 0], true], ["o17", ["memref", [], "index"], [0, 0], true], ["o18", ["memref", [], "index"], [0, 0], true], ["o19", ["memref", [], "index"], [0, 0], true]]}
module {
  func.func @chunk222(%arg0: index, %arg1: index, %arg2: index, %arg3: index, %arg4: memref<index> {tilewright.output}, %arg5: memref<index> {tilewright.output}, %arg6: memref<index> {tilewright.output}, %arg7: memref<index> {tilewright.output}, %arg8: memref<index> {tilewright.output}, %arg9: memref<index> {tilewright.output}, %arg10: memref<index> {tilewright.output}, %arg11: memref<index> {tilewright.output}, %arg12: memref<index> {tilewright.output}, %arg13: memref<index> {tilewright.output}, %arg14: memref<index> {tilewright.output}, %arg15: memref<index> {tilewright.output}, %arg16: memref<index> {tilewright.output}, %arg17: memref<index> {tilewright.output}, %arg18: memref<index> {tilewright.output}, %arg19: memref<index> {tilewright.output}, %arg20: memref<index> {tilewright.output}, %arg21: memref<index> {tilewright.output}, %arg22: memref<index> {tilewright.output}, %arg23: memref<index> {tilewright.output}) {
    %0 = index.or %arg0, %arg1
    memref.store %0, %arg4[] : memref<index>
    %1 = index.xor %0, %arg1
    memref.store %1, %arg5[] : memref<index>
    %2 = index.add %1, %arg1
    memref.store %2, %arg6[] : memref<index>
    %3 = index.maxs %2, %arg1
    memref.store %3, %arg7[] : memref<index>
    %4 = index.and %3, %arg1
    memref.store %4, %arg8[] : memref<index>
    %5 = index.minu %4, %arg1
    memref.store %5, %arg9[] : memref<index>
    %6 = index.maxu %5, %arg1
    memref.store %6, %arg10[] : memref<index>
    %7 = index.mins %6, %arg1
    memref.store %7, %arg11[] : memref<index>
    %8 = index.sub %7, %arg1
    memref.store %8, %arg12[] : memref<index>
    %9 = index.mul %8, %arg1
    memref.store %9, %arg13[] : memref<index>
    %10 = index.ceildivs %9, %arg2
    memref.store %10, %arg14[] : memref<index>
    %11 = index.floordivs %arg0, %arg2
    memref.store %11, %arg15[] : memref<index>
    %12 = index.rems %arg0, %arg2
    memref.store %12, %arg16[] : memref<index>
    %13 = index.remu %arg0, %arg2
    memref.store %13, %arg17[] : memref<index>
    %14 = index.divs %arg0, %arg2
    memref.store %14, %arg18[] : memref<index>
    %15 = index.ceildivu %9, %arg2
    memref.store %15, %arg19[] : memref<index>
    %16 = index.divu %9, %arg2
    memref.store %16, %arg20[] : memref<index>
    %17 = index.shl %arg0, %arg3
    memref.store %17, %arg21[] : memref<index>
    %18 = index.shrs %arg0, %arg3
    memref.store %18, %arg22[] : memref<index>
    %19 = index.shru %arg0, %arg3
    memref.store %19, %arg23[] : memref<index>
    return
  }
}
