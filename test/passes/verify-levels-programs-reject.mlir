// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/phone.toml},verify-levels' 2>&1 | filecheck %s --check-prefix ENGINE
// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/mesh_4x4.toml},verify-levels' 2>&1 | filecheck %s --check-prefix COUNT

// ENGINE: mlir:15:5: error: {{.*}} program 'nodes' is on engine 'array', which the machine does not have
// ENGINE: expected: big, gpu, little
// ENGINE-NEXT: found: array
// ENGINE-NEXT: remedy: run it on one of big, gpu, little, or add [engines.array]

// COUNT: mlir:15:5: error: {{.*}} program 'nodes' is over 8 instances of 'array'
// COUNT: counterexample: instance [5, 1]
// COUNT: found: 16 instances in the machine, [4, 4]

func.func @network(%x: memref<8xi8>) {
  hier.concurrent {
    hier.program "nodes" on "array" over (%i, %j) in [4, 2] from [2, 0] {
    }
  }
  func.return
}
