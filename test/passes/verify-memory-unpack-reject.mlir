// RUN: opt-tool %s --split-input-file -p "attach-machine{target=%S/../machines/two_level.toml},verify-memory{plain=false}" --verify-diagnostics

// Where an access divides an index, nothing is known of a part of it.

func.func @cut(%p: memref<64x32xi8>, %w: memref<64x64xi8> {tilewright.output}) {
  hier.grid [2] ins(%p : memref<64x32xi8>) outs(%w : memref<64x64xi8>)
      tiles [#hier.tile<[64, 16] at affine_map<(d0) -> (0, d0 * 16)> in "L1" address 0>,
             #hier.tile<[64, 32] at affine_map<(d0) -> (0, d0 * 32)> in "L1" address 1024>] {
  ^bb0(%i: index, %a: memref<64x16xi8, "L1">, %b: memref<64x32xi8, "L1">):
    // expected-error @+1 {{a division or remainder of an index that is cut cannot be proved}}
    nn.unpack ins(%a : memref<64x16xi8, "L1">) outs(%b : memref<64x32xi8, "L1">) {bits = 4 : i64, engine = "cluster",
      hier.kernel = {bounds = array<i64: 64, 64>, fills = [unit, unit], shapes = [array<i64: 64, 32>, array<i64: 64, 64>],
        maps = [affine_map<(d0, d1) -> (d0, (d1 floordiv 8) * 4 + d1 mod 4)>, affine_map<(d0, d1) -> (d0, d1)>]}}
    hier.yield
  }
  func.return
}

// -----

// Rows of another tile.

func.func @shifted(%p: memref<64x32xi8>, %w: memref<64x64xi8> {tilewright.output}) {
  hier.grid [2] ins(%p : memref<64x32xi8>) outs(%w : memref<64x64xi8>)
      tiles [#hier.tile<[32, 32] at affine_map<(d0) -> (d0 * 31, 0)> in "L1" address 0>,
             #hier.tile<[32, 64] at affine_map<(d0) -> (d0 * 32, 0)> in "L1" address 1024>] {
  ^bb0(%i: index, %a: memref<32x32xi8, "L1">, %b: memref<32x64xi8, "L1">):
    // expected-error @+1 {{operand 0 (%p) of the grid is not the tile that 'nn.unpack' needs}}
    nn.unpack ins(%a : memref<32x32xi8, "L1">) outs(%b : memref<32x64xi8, "L1">) {bits = 4 : i64, engine = "cluster",
      hier.kernel = {bounds = array<i64: 64, 64>, fills = [unit, unit], shapes = [array<i64: 64, 32>, array<i64: 64, 64>],
        maps = [affine_map<(d0, d1) -> (d0, (d1 floordiv 8) * 4 + d1 mod 4)>, affine_map<(d0, d1) -> (d0, d1)>]}}
    hier.yield
  }
  func.return
}
