// RUN: opt-tool %s --target %S/../systolic -p attach-machine{target=%S/../systolic},verify-levels,verify-memory -o %t.mlir

// Output-stationary matmul of 32x32x32 by instructions: the sums of a tile stay in ACC while k runs. Loads, the array
// and stores are a queue each; two slots of each near buffer let the queues overlap, since SPAD and ACC are interlocked.
builtin.module {
  memref.global "private" @spad : memref<1536xi8, "SPAD"> = uninitialized {alignment = 16 : i64}
  memref.global "private" @acc : memref<2048xi8, "ACC"> = uninitialized {alignment = 64 : i64}
  func.func @network(%a: memref<32x32xi8>, %b: memref<32x32xi8>, %bias: memref<1x32xi32>, %c: memref<32x32xi8> {tilewright.output}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %dim = arith.constant 16 : index
    %at = arith.constant 1024 : index
    %spad = memref.get_global @spad : memref<1536xi8, "SPAD">
    %acc = memref.get_global @acc : memref<2048xi8, "ACC">
    %sa = memref.view %spad[%zero][] : memref<1536xi8, "SPAD"> to memref<2x2x16x16xi8, "SPAD">
    %sb = memref.view %spad[%at][] : memref<1536xi8, "SPAD"> to memref<2x16x16xi8, "SPAD">
    %sums = memref.view %acc[%zero][] : memref<2048xi8, "ACC"> to memref<2x16x16xi32, "ACC">
    systolic.config_ld %a {stride = array<i64: 0, 1>, block = 16 : i64, id = 0 : i64} : memref<32x32xi8>
    systolic.config_ld %bias {block = 16 : i64, id = 1 : i64} : memref<1x32xi32>
    systolic.config_ex
    systolic.config_st %c {stride = array<i64: 0, 1>, multiplier = 77 : i64, shift = 14 : i64, relu} : memref<32x32xi8>
    scf.for %i = %zero to %two step %one {
      %row = arith.muli %i, %dim : index
      systolic.mvin %a[%row, %zero], %sa[%i, %zero, %zero, %zero] {rows = 16 : i64, cols = 32 : i64, id = 0 : i64} : memref<32x32xi8>, memref<2x2x16x16xi8, "SPAD">
      scf.for %j = %zero to %two step %one {
        %col = arith.muli %j, %dim : index
        systolic.mvin_acc %bias[%zero, %col], %sums[%j, %zero, %zero] {rows = 16 : i64, cols = 16 : i64, id = 1 : i64} : memref<1x32xi32>, memref<2x16x16xi32, "ACC">
        scf.for %k = %zero to %two step %one {
          %depth = arith.muli %k, %dim : index
          systolic.mvin %b[%depth, %col], %sb[%k, %zero, %zero] {rows = 16 : i64, cols = 16 : i64, id = 0 : i64} : memref<32x32xi8>, memref<2x16x16xi8, "SPAD">
          systolic.preload %sb[%k, %zero, %zero] {k = 16 : i64, n = 16 : i64} : memref<2x16x16xi8, "SPAD">
          systolic.compute_preloaded %sa[%i, %k, %zero, %zero], %sums[%j, %zero, %zero] {rows = 16 : i64, k = 16 : i64, n = 16 : i64} : memref<2x2x16x16xi8, "SPAD">, memref<2x16x16xi32, "ACC">
        }
        systolic.mvout %sums[%j, %zero, %zero], %c[%row, %col] {rows = 16 : i64, cols = 16 : i64} : memref<2x16x16xi32, "ACC">, memref<32x32xi8>
      }
    }
    systolic.fence
    func.return
  }
}
