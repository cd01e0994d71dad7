// RUN: opt-tool %s --target gemmini/ibert -p attach-machine{target=gemmini/ibert},split-lookups | filecheck %s
// RUN: opt-tool %s --target gemmini -p attach-machine{target=gemmini},split-lookups | filecheck %s --check-prefix=DEFAULT

// One other entry, and rows that are no whole blocks, stay lookups of the core; so do all on other instances.
// CHECK-NOT:     nn.add ins
// DEFAULT-NOT:   nn.add ins
// CHECK-LABEL: func.func @entry
// CHECK:         loader = "its table is not one that I-BERT's GELU computes
// CHECK:         quant.lookup
func.func @entry(%x: memref<24x48xi8>, %y: memref<24x48xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<24x48xi8>) outs(%y : memref<24x48xi8>) attrs = {engine = "core"} {
  ^bb0(%0: i8, %1: i8):
    %2 = quant.lookup %0 {table = dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFFFFFFFFFFFEFEFEFEFEFDFDFDFDFDFDFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFDFDFDFDFEFEFFFFFF00010102030405060708090A0B0C0D0F10111214151618191A1C1D1F202123242727292A2B2D2E30313234353738393B3C3D3E40414243454647484A4B4C4D4F50515254555657595A5B5C5E5F60616364656668696A6B6D6E6F70727374757778797A7C7D7E7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F"> : tensor<256xi8>} : i8 -> i8
    linalg.yield %2 : i8
  }
  func.return
}

// CHECK-LABEL: func.func @rows
// CHECK:         loader = "rows of 40 elements are no whole blocks of 16
// CHECK:         quant.lookup
// DEFAULT-LABEL: func.func @rows
// DEFAULT:         quant.lookup
func.func @rows(%x: memref<24x40xi8>, %y: memref<24x40xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<24x40xi8>) outs(%y : memref<24x40xi8>) attrs = {engine = "core"} {
  ^bb0(%0: i8, %1: i8):
    %2 = quant.lookup %0 {table = dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FFFFFFFFFFFFFEFEFEFEFEFDFDFDFDFDFDFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFCFDFDFDFDFEFEFFFFFF00010102030405060708090A0B0C0D0F10111214151618191A1C1D1F202123242627292A2B2D2E30313234353738393B3C3D3E40414243454647484A4B4C4D4F50515254555657595A5B5C5E5F60616364656668696A6B6D6E6F70727374757778797A7C7D7E7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F7F"> : tensor<256xi8>} : i8 -> i8
    linalg.yield %2 : i8
  }
  func.return
}
