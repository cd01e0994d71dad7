// RUN: opt-tool %s --mlir-elide-elementsattrs-if-larger=3 --mlir-elide-resource-strings-if-larger=18 -p expand-grid --dump-dir %t.dir --mlir-print-ir-after-all > %t.out 2> %t.err
// RUN: filecheck %s --input-file %t.out
// RUN: filecheck %s --input-file %t.err
// RUN: filecheck %s --input-file %t.dir/01-expand-grid.mlir
// RUN: not opt-tool %s --mlir-elide-elementsattrs-if-larger=3 --mlir-elide-resource-strings-if-larger=18 -p add-main --reproducer %t.repro
// RUN: opt-tool %t.repro | filecheck %s --check-prefix=CHECK-WHOLE
// RUN: opt-tool %s | opt-tool | filecheck %s --check-prefix=CHECK-WHOLE
// RUN: opt-tool %s --mlir-print-elementsattrs-with-hex-if-larger=-1 | filecheck %s --check-prefix=CHECK-DECIMAL
// RUN: opt-tool %s --mlir-print-elementsattrs-with-hex-if-larger=3 | filecheck %s --check-prefix=CHECK-HEX

// Elision holds in every output but reproducers; uniform constants are short as they are.

// CHECK: arith.constant dense_resource<__elided__> : tensor<101xi8>
// CHECK: arith.constant dense<7> : tensor<1000xi8>
// CHECK: arith.constant dense<[1, 2, 3]> : tensor<3xi8>
// CHECK: arith.constant dense_resource<__elided__> : tensor<4xi8>
// CHECK-DECIMAL: arith.constant dense<[0, 1, {{.*}}99, 100]> : tensor<101xi8>
// CHECK-HEX: arith.constant dense<[1, 2, 3]> : tensor<3xi8>
// CHECK-HEX: arith.constant dense<"0x01020304"> : tensor<4xi8>
// CHECK-WHOLE: arith.constant dense<"0x000102030405060708090A0B{{[0-9A-F]+}}626364"> : tensor<101xi8>
// CHECK-WHOLE: arith.constant dense<7> : tensor<1000xi8>
// CHECK-WHOLE: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>

%w = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xi8>
%s = arith.constant dense<7> : tensor<1000xi8>
%t = arith.constant dense<[1, 2, 3]> : tensor<3xi8>
%f = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
%r = arith.constant dense_resource<short> : tensor<1xi32>
%l = arith.constant dense_resource<long> : tensor<2xi32>

// CHECK: dialect_resources
// CHECK-NOT: long
// CHECK: short{{[_0-9]*}}: "0x0400000001000000"
// CHECK-NOT: long
// CHECK-WHOLE: long{{[_0-9]*}}: "0x040000000100000002000000"

{-# dialect_resources: { builtin: { short: "0x0400000001000000", long: "0x040000000100000002000000" } } #-}
