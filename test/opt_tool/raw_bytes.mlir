// RUN: opt-tool %s --allow-unregistered-dialect --mlir-print-elementsattrs-with-hex-if-larger=8 | filecheck %s
// RUN: opt-tool %s --allow-unregistered-dialect | opt-tool --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-elementsattrs-with-hex-if-larger=8 | filecheck %s

// The raw bytes of a constant are those of mlir-opt 19: integers of odd widths in whole bytes, whose upper bits are
// ignored and written as 0; i1 in packed bits, the first in the lowest.

// CHECK: dense<[-5, -1, 7, 0]> : tensor<4xi4>
"test.op"() {a = dense<"0x0B0F0700"> : tensor<4xi4>} : () -> ()
// CHECK: dense<[-5, -1, 7, 0]> : tensor<4xi4>
"test.op"() {a = dense<"0xFBFF77F0"> : tensor<4xi4>} : () -> ()
// CHECK: dense<[11, 15]> : vector<2xui4>
"test.op"() {a = dense<"0x0B0F"> : vector<2xui4>} : () -> ()
// CHECK: dense<[-5, -2048]> : tensor<2xsi12>
"test.op"() {a = dense<"0xFB0F0008"> : tensor<2xsi12>} : () -> ()
// CHECK: dense<[-1, 65536]> : tensor<2xi24>
"test.op"() {a = dense<"0xFFFFFF000001"> : tensor<2xi24>} : () -> ()
// CHECK: dense<-5> : tensor<7xi33>
"test.op"() {a = dense<"0xFBFFFFFF01"> : tensor<7xi33>} : () -> ()
// CHECK: dense<(-5,1)> : tensor<1xcomplex<i4>>
"test.op"() {a = dense<"0x0B01"> : tensor<1xcomplex<i4>>} : () -> ()
// CHECK: dense<[true, false, false]> : tensor<3xi1>
"test.op"() {a = dense<"0x01"> : tensor<3xi1>} : () -> ()
// CHECK: dense<[false, true, true, false, true, false, false, false]> : tensor<8xi1>
"test.op"() {a = dense<"0x16"> : tensor<8xi1>} : () -> ()
// CHECK: dense<true> : tensor<100xi1>
"test.op"() {a = dense<"0xFF"> : tensor<100xi1>} : () -> ()
// CHECK: dense<> : tensor<0xi1>
"test.op"() {a = dense<"0x"> : tensor<0xi1>} : () -> ()
// CHECK: dense<"0x1601"> : tensor<9xi1>
"test.op"() {a = dense<"0x1601"> : tensor<9xi1>} : () -> ()
// CHECK: dense<"0x0B0F0700010203040506"> : tensor<10xi4>
"test.op"() {a = dense<[-5, -1, 7, 0, 1, 2, 3, 4, 5, 6]> : tensor<10xi4>} : () -> ()
// CHECK: memref.global
// CHECK-SAME: dense<[-5, -1, 7, 0]>
memref.global "private" constant @weights : memref<4xi4> = dense<"0x0B0F0700">
