// RUN: opt-tool %s --split-input-file -p "attach-machine{target=%S/../machines/two_level.toml},verify-memory{plain=false}" --verify-diagnostics

// Where an access divides an index, nothing is known of a part of it.

func.func @cut(%p: memref<64x32xi8>, %w: memref<64x64xi8> {tilewright.output}) {
  hier.grid (%i) in [2]
      ins(%a = %p[0, %i * 16] [64, 16] in "L1" address 0 : memref<64x32xi8>)
      outs(%b = %w[0, %i * 32] [64, 32] in "L1" address 1024 : memref<64x64xi8>) {
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
  hier.grid (%i) in [2]
      ins(%a = %p[%i * 31, 0] [32, 32] in "L1" address 0 : memref<64x32xi8>)
      outs(%b = %w[%i * 32, 0] [32, 64] in "L1" address 1024 : memref<64x64xi8>) {
    // expected-error @+1 {{operand 0 (%p) of the grid is not the tile that 'nn.unpack' needs}}
    nn.unpack ins(%a : memref<32x32xi8, "L1">) outs(%b : memref<32x64xi8, "L1">) {bits = 4 : i64, engine = "cluster",
      hier.kernel = {bounds = array<i64: 64, 64>, fills = [unit, unit], shapes = [array<i64: 64, 32>, array<i64: 64, 64>],
        maps = [affine_map<(d0, d1) -> (d0, (d1 floordiv 8) * 4 + d1 mod 4)>, affine_map<(d0, d1) -> (d0, d1)>]}}
    hier.yield
  }
  func.return
}
