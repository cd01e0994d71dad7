// {"kind": "approximated", "entry": "chunk7", "traits": ["libm"], "arguments": [["a0", "f32", [0, 7], false], ["a1", "f32", [0, 7], false], ["a2", "f32", [0, 7], false], ["o0", ["memref", [], "f32"], [0, 0], true], ["o1", ["memref", [], "f32"], [0, 0], true], ["o2", ["memref", [], "f32"], [0, 0], true], ["o3", ["memref", [], "f32"], [0, 0], true], ["o4", ["memref", [], "f32"], [0, 0], true], ["o5", ["memref", [], "f32"], [0, 0], true], ["o6", ["memref", [], "f32"], [0, 0], true], ["o7", ["memref", [], "f32"], [0, 0], true], ["o8", ["memref", [], "f32"], [0, 0], true], ["o9", ["memref", [], "f32"], [0, 0], true], ["o10", ["memref", [], "f32"], [0, 0], true], ["o11", ["memref", [], "f32"], [0, 0], true], ["o12", ["memref", [], "f32"], [0, 0], true], ["o13", ["memref", [], "f32"], [0, 0], true], ["o14", ["memref", [], "f32"], [0, 0], true], ["o15", ["memref", [], "f32"], [0, 0], true], ["o16", ["memref", [], "f32"], [0, 0], true], ["o17", ["memref", [], "f32"], [0, 0], true], ["o18", ["memref", [], "f32"], [0, 0], true]], "results": [["o0", ["memref", [], "f32"], [0, 0], true], ["o1", ["memref", [], "f32"], [0, 0], true], ["o2", ["memref", [], "f32"], [0, 0], true], ["o3", ["memref", [], "f32"], [0, 0], true], ["o4", ["memref", [], "f32"], [0, 0], true], ["o5", ["memref", [], "f32"], [0, 0], true], ["o6", ["memref", [], "f32"], [0, 0], true], ["o7", ["memref", [], "f32"], [0, 0], true], ["o8", ["memref", [], "f32"], [0, 0], true], ["o9", ["memref", [], "f32"], [0, 0], true], ["o10", ["memref", [], "f32"], [0, 0], true], ["o11", ["memref", [], "f32"], [0, 0], true], ["o12", ["memref", [], "f32"], [0, 0], true], ["o13", ["memref", [], "f32"], [0, 0], true], ["o14", ["memref", [], "f32"], [0, 0], true], ["o15", ["memref", [], "f32"], [0, 0], true], ["o16", ["memref", [], "f32"], [0, 0], true], ["o17", ["memref", [], "f32"], [0, 0], true], ["o18", ["memref", [], "f32"], [0, 0], true]]}
module {
  func.func @chunk7(%arg0: f32, %arg1: f32, %arg2: f32, %arg3: memref<f32> {tilewright.output}, %arg4: memref<f32> {tilewright.output}, %arg5: memref<f32> {tilewright.output}, %arg6: memref<f32> {tilewright.output}, %arg7: memref<f32> {tilewright.output}, %arg8: memref<f32> {tilewright.output}, %arg9: memref<f32> {tilewright.output}, %arg10: memref<f32> {tilewright.output}, %arg11: memref<f32> {tilewright.output}, %arg12: memref<f32> {tilewright.output}, %arg13: memref<f32> {tilewright.output}, %arg14: memref<f32> {tilewright.output}, %arg15: memref<f32> {tilewright.output}, %arg16: memref<f32> {tilewright.output}, %arg17: memref<f32> {tilewright.output}, %arg18: memref<f32> {tilewright.output}, %arg19: memref<f32> {tilewright.output}, %arg20: memref<f32> {tilewright.output}, %arg21: memref<f32> {tilewright.output}) {
    %0 = math.acos %arg0 : f32
    memref.store %0, %arg3[] : memref<f32>
    %1 = math.acosh %arg0 : f32
    memref.store %1, %arg4[] : memref<f32>
    %2 = math.asin %arg0 : f32
    memref.store %2, %arg5[] : memref<f32>
    %3 = math.asinh %arg0 : f32
    memref.store %3, %arg6[] : memref<f32>
    %4 = math.atan %arg0 : f32
    memref.store %4, %arg7[] : memref<f32>
    %5 = math.atanh %arg0 : f32
    memref.store %5, %arg8[] : memref<f32>
    %6 = math.cbrt %arg0 : f32
    memref.store %6, %arg9[] : memref<f32>
    %7 = math.cos %arg0 : f32
    memref.store %7, %arg10[] : memref<f32>
    %8 = math.exp %arg0 : f32
    memref.store %8, %arg11[] : memref<f32>
    %9 = math.expm1 %arg0 : f32
    memref.store %9, %arg12[] : memref<f32>
    %10 = math.log10 %arg0 : f32
    memref.store %10, %arg13[] : memref<f32>
    %11 = math.log1p %arg0 : f32
    memref.store %11, %arg14[] : memref<f32>
    %12 = math.log2 %arg0 : f32
    memref.store %12, %arg15[] : memref<f32>
    %13 = math.sin %arg0 : f32
    memref.store %13, %arg16[] : memref<f32>
    %14 = math.sinh %arg0 : f32
    memref.store %14, %arg17[] : memref<f32>
    %15 = math.tan %arg0 : f32
    memref.store %15, %arg18[] : memref<f32>
    %16 = math.tanh %arg0 : f32
    memref.store %16, %arg19[] : memref<f32>
    %17 = math.atan2 %arg0, %arg1 : f32
    memref.store %17, %arg20[] : memref<f32>
    %c1_i32 = arith.constant 1 : i32
    %18 = math.fpowi %arg2, %c1_i32 : f32, i32
    memref.store %18, %arg21[] : memref<f32>
    return
  }
}
