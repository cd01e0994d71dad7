// RUN: opt-tool %s --verify-diagnostics -p "attach-machine{target=%S/../machines/four_cores.toml},verify-memory"

func.func @network(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %zero = arith.constant 0 : index
  hier.concurrent {
    hier.program "core" over (%h) in [2] {
      // expected-error@+2 {{the instances of program 'core' have %own at one place of L1 (rule 'disjoint')}}
      // expected-note@+1 {{counterexample: address 16 of L1, instances [0] and the next}}
      %own = memref.alloc() {hier.address = 16 : i64} : memref<1xi32, "L1">
      %in = memref.load %x[%h] : memref<2xi32>
      memref.store %in, %own[%zero] : memref<1xi32, "L1">
      %out = memref.load %own[%zero] : memref<1xi32, "L1">
      memref.store %out, %y[%h] : memref<2xi32>
    }
  }
  func.return
}
