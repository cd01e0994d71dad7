// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/four_cores.toml},plan-memory{level-bytes=32768},verify-memory" | filecheck %s --check-prefix=SHARED
// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/four_nodes.toml},plan-memory,verify-memory" | filecheck %s --check-prefix=OWN
// RUN: opt-tool %s -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory,verify-memory" | filecheck %s --check-prefix=ONE

// Rows are spread over the copies of the engine. What each works on lies apart in a level that they share, and at the
// same place in a level of their own.

// SHARED-LABEL: func.func @network
// SHARED:         hier.grid (%{{.*}}) in [4{{.*}}] spatial [0{{.*}}] strides {L1 = [[#]] : i64}
// OWN-LABEL:    func.func @network
// OWN-NOT:        apart
// OWN:            hier.grid (%{{.*}}) in [4{{.*}}] spatial [0{{.*}}]{{$}}
// ONE-NOT:        spatial
func.func @network(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32> {tilewright.output}) {
  nn.matmul ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>) {accumulator = i32}
  func.return
}
