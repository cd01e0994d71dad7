// RUN: opt-tool %s --verify-diagnostics -p convert-dma-to-loops

func.func @network(%x: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{a parallel loop with reductions cannot be made sequential}}
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i32 {
    %v = memref.load %x[%i] : memref<4xi32>
    scf.reduce(%v : i32) {
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      scf.reduce.return %t : i32
    }
  }
  func.return %s : i32
}
