// RUN: opt-tool %s -p convert-scf-to-cf --split-input-file --verify-diagnostics

func.func @f(%x: i32, %c: i1, %n: index, %m: memref<4xi32>) {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    // expected-error@+1 {{'scf.if' in 'scf.parallel' cannot become branches}}
    scf.if %c {
      memref.store %x, %m[%i] : memref<4xi32>
    }
    scf.reduce
  }
  func.return
}
