// RUN: opt-tool %s --target gemmini/ibert -p attach-machine{target=gemmini/ibert},split-lookups | filecheck %s
// RUN: opt-tool %s --target gemmini/ibert -p attach-machine{target=gemmini/ibert},split-lookups,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s --check-prefix=ARRAY

// The table of I-BERT's GELU with a step of 0.05 is a load, and a store that computes it.
// CHECK-LABEL: func.func @gelu
// CHECK-NEXT:    nn.add ins(%x : memref<24x48xi8>) outs(%y : memref<24x48xi8>) {accumulator = i32, engine = "loader"
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i32):
// CHECK-NEXT:      %[[X:.*]] = arith.trunci %[[S]] : i32 to i8
// CHECK-NEXT:      %[[Y:.*]] = quant.lookup %[[X]]
// CHECK-NEXT:      linalg.yield %[[Y]] : i8
// ARRAY-DAG:     gemmini.mvin_bytes
// ARRAY-DAG:     gemmini.mvout
// ARRAY:         gemmini.config_gelu {{.*}} {stride = array<i64: 0, 1>, qb = -50 : i64, qc = -2766 : i64}
func.func @gelu(%x: memref<24x48xi8>, %y: memref<24x48xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<24x48xi8>) outs(%y : memref<24x48xi8>) attrs = {engine = "core"} {
  ^bb0(%0: i8, %1: i8):
    %2 = quant.lookup %0 {table = dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFFFFFFFFFFFEFEFEFEFEFDFDFDFDFDFDFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFDFDFDFDFEFEFFFFFF00010102030405060708090A0B0C0D0F10111214151618191A1C1D1F202123242627292A2B2D2E30313234353738393B3C3D3E40414243454647484A4B4C4D4F50515254555657595A5B5C5E5F60616364656668696A6B6D6E6F70727374757778797A7C7D7E7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F"> : tensor<256xi8>} : i8 -> i8
    linalg.yield %2 : i8
  }
  func.return
}
