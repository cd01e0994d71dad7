// RUN: opt-tool %s -p attach-machine{target=%S/../phone.toml},verify-levels,verify-memory -o %t.mlir

// Three stages on three processors, six frames. The first stage hands every frame to the second and, by a stream of its
// own that skips the second, to the third.
func.func @network(%x: memref<6x64xf32> {onnx.name = "x"}, %y: memref<6x64xf32> {onnx.name = "y", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %frames = arith.constant 6 : index
  %half = arith.constant 0.5 : f32
  %s0 = hier.stream depth 2 : !hier.stream<memref<1x64xf32>>
  %s1 = hier.stream depth 2 : !hier.stream<memref<1x64xf32>>
  %skip = hier.stream depth 3 : !hier.stream<memref<1x64xf32>>
  hier.concurrent {
    hier.program "big" on "big" {
      scf.for %f = %zero to %frames step %one {
        %in = memref.subview %x[%f, 0] [1, 64] [1, 1] : memref<6x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
        %t = hier.reserve %s0 : !hier.stream<memref<1x64xf32>>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%in : memref<1x64xf32, strided<[64, 1], offset: ?>>) outs(%t : memref<1x64xf32>) {
        ^bb0(%a: f32, %o: f32):
          %b = arith.addf %a, %a : f32
          linalg.yield %b : f32
        }
        %k = hier.reserve %skip : !hier.stream<memref<1x64xf32>>
        memref.copy %t, %k : memref<1x64xf32> to memref<1x64xf32>
        hier.push %skip : !hier.stream<memref<1x64xf32>>
        hier.push %s0 : !hier.stream<memref<1x64xf32>>
      }
    }
    hier.program "gpu" on "gpu" {
      scf.for %f = %zero to %frames step %one {
        %t = hier.pop %s0 : !hier.stream<memref<1x64xf32>>
        %u = hier.reserve %s1 : !hier.stream<memref<1x64xf32>>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : memref<1x64xf32>) outs(%u : memref<1x64xf32>) {
        ^bb0(%a: f32, %o: f32):
          %b = arith.mulf %a, %a : f32
          linalg.yield %b : f32
        }
        hier.push %s1 : !hier.stream<memref<1x64xf32>>
        hier.release %s0 : !hier.stream<memref<1x64xf32>>
      }
    }
    hier.program "little" on "little" {
      scf.for %f = %zero to %frames step %one {
        %out = memref.subview %y[%f, 0] [1, 64] [1, 1] : memref<6x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
        %u = hier.pop %s1 : !hier.stream<memref<1x64xf32>>
        %k = hier.pop %skip : !hier.stream<memref<1x64xf32>>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%u, %k : memref<1x64xf32>, memref<1x64xf32>) outs(%out : memref<1x64xf32, strided<[64, 1], offset: ?>>) {
        ^bb0(%a: f32, %b: f32, %o: f32):
          %c = arith.mulf %b, %half : f32
          %d = arith.addf %a, %c : f32
          linalg.yield %d : f32
        }
        hier.release %skip : !hier.stream<memref<1x64xf32>>
        hier.release %s1 : !hier.stream<memref<1x64xf32>>
      }
    }
  }
  func.return
}
