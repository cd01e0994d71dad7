// RUN: opt-tool %s -p attach-machine{target=%S/../paged.toml},verify-levels,verify-memory -o %t.mlir

// A program that looks pages up and fetches them, two at most ahead of the program that sums each one up.
func.func @network(%pool: memref<32x4x16xi8, "DRAM"> {onnx.name = "pool"}, %table: memref<6xi32, "DRAM"> {onnx.name = "table"},
                   %out: memref<6x16xi32, "DRAM"> {onnx.name = "out", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pages = arith.constant 6 : index
  %nothing = arith.constant 0 : i32
  %s = hier.stream depth 2 : !hier.stream<memref<1x4x16xi8, "SRAM">>
  hier.concurrent {
    hier.program "load" {
      scf.for %i = %zero to %pages step %one {
        %page = hier.lookup %table[%i] in [0, 32) : memref<6xi32, "DRAM">
        %t = hier.reserve %s : !hier.stream<memref<1x4x16xi8, "SRAM">>
        %token = hier.dma_start %pool[%page, %zero, %zero] to %t : memref<32x4x16xi8, "DRAM">, memref<1x4x16xi8, "SRAM">
        hier.dma_wait %token
        hier.push %s : !hier.stream<memref<1x4x16xi8, "SRAM">>
      }
    }
    hier.program "sum" on "core" {
      scf.for %i = %zero to %pages step %one {
        %row = memref.subview %out[%i, 0] [1, 16] [1, 1] : memref<6x16xi32, "DRAM"> to memref<1x16xi32, strided<[16, 1], offset: ?>, "DRAM">
        linalg.fill ins(%nothing : i32) outs(%row : memref<1x16xi32, strided<[16, 1], offset: ?>, "DRAM">)
        %t = hier.pop %s : !hier.stream<memref<1x4x16xi8, "SRAM">>
        linalg.generic {indexing_maps = [affine_map<(r, d) -> (0, r, d)>, affine_map<(r, d) -> (0, d)>], iterator_types = ["reduction", "parallel"]}
            ins(%t : memref<1x4x16xi8, "SRAM">) outs(%row : memref<1x16xi32, strided<[16, 1], offset: ?>, "DRAM">) {
        ^bb0(%a: i8, %old: i32):
          %wide = arith.extsi %a : i8 to i32
          %new = arith.addi %old, %wide : i32
          linalg.yield %new : i32
        }
        hier.release %s : !hier.stream<memref<1x4x16xi8, "SRAM">>
      }
    }
  }
  func.return
}
