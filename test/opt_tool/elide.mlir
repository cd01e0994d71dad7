// RUN: opt-tool %s --mlir-elide-elementsattrs-if-larger=100 | filecheck %s
// RUN: opt-tool %s | opt-tool | filecheck %s --check-prefix=CHECK-WHOLE
// RUN: opt-tool %s --mlir-print-debuginfo=false | filecheck %s --check-prefix=CHECK-BARE

// CHECK: arith.constant dense_resource<__elided__> : tensor<101xi8> loc("weights")
// CHECK: arith.constant dense<7> : tensor<1000xi8>
// CHECK-WHOLE: arith.constant dense<"0x000102030405060708090A0B{{[0-9A-F]+}}626364"> : tensor<101xi8> loc("weights")
// CHECK-WHOLE: arith.constant dense<7> : tensor<1000xi8>
// CHECK-BARE-NOT: loc(

%w = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xi8> loc("weights")
%s = arith.constant dense<7> : tensor<1000xi8>
