// RUN: opt-tool %s --mlir-print-debuginfo --pass-pipeline='builtin.module(convert-to-emitc)' | filecheck %s

// CHECK: emitc.include "tilewright.h"
// CHECK-NEXT: emitc.global static const @network_w0 : !emitc.array<54xi8> = dense<{{.*}}> {tilewright.alignment = 16 : i64, tilewright.shape = array<i64: 2, 3, 3, 3>}
// CHECK-NEXT: emitc.global static @arena : !emitc.array<256xui8> {tilewright.alignment = 16 : i64, tilewright.shape = array<i64: 256>}
// CHECK-NEXT: emitc.func @conv(%x: !emitc.ptr<i8> {tilewright.shape = array<i64: 1, 3, 8, 8>, tilewright.const}, %w: !emitc.ptr<i8> {tilewright.shape = array<i64: 2, 3, 3, 3>, tilewright.const, tilewright.restrict}, %o: !emitc.ptr<i8> {tilewright.shape = array<i64: 1, 2, 8, 8>}) attributes {specifiers = ["static", "TW_KERNEL"]} {
// CHECK: emitc.for %oc
// CHECK: %sum = "emitc.variable"() <{value = 0 : i32}> : () -> !emitc.lvalue<i32>
// CHECK: emitc.cmp ge, %iy
// CHECK: emitc.logical_and
// CHECK: emitc.if %iyok {
// CHECK-NOT: emitc.variable
// CHECK: emitc.subscript %x[{{.*}}] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
// CHECK: emitc.mul %v32, %k32 : (i32, i32) -> i32
// CHECK: emitc.assign %n : i32 to %sum : !emitc.lvalue<i32>
// CHECK: emitc.call_opaque "tw_max_i32"
// CHECK: emitc.func @network_run(%input: !emitc.array<192xui8> {onnx.name = "input", onnx.type = "ui8", tilewright.shape = array<i64: 1, 3, 8, 8>, tilewright.const, tilewright.name = "input"}, %class_: !emitc.array<128xi8> {onnx.name = "class", tilewright.output, tilewright.shape = array<i64: 1, 2, 8, 8>, tilewright.name = "class_"}) {
// CHECK: emitc.cast %{{.*}} : !emitc.ptr<ui8> to !emitc.ptr<i8>
// CHECK: emitc.call @conv({{.*}}) : (!emitc.ptr<i8>, !emitc.ptr<i8>, !emitc.ptr<i8>) -> () loc(fused["Conv_16", "Req*/_17"])
// CHECK: emitc.return
memref.global "private" constant @w0 : memref<2x3x3x3xi8> = dense<"0xE5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A">
memref.global "private" @arena : memref<256xi8> = uninitialized {alignment = 16 : i64}
func.func private @conv(%x: memref<1x3x8x8xi8>, %w: memref<2x3x3x3xi8>, %o: memref<1x2x8x8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %mul = arith.constant 1234567890 : i64
  %round = arith.constant 17179869184 : i64
  %shift = arith.constant 35 : i64
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  scf.for %oc = %c0 to %c2 step %c1 {
    scf.for %oy = %c0 to %c8 step %c1 {
      scf.for %ox = %c0 to %c8 step %c1 {
        %sum = scf.for %ic = %c0 to %c3 step %c1 iter_args(%acc0 = %zero) -> (i32) {
          %s1 = scf.for %ky = %c0 to %c3 step %c1 iter_args(%acc1 = %acc0) -> (i32) {
            %iy0 = arith.addi %oy, %ky : index
            %iy = arith.subi %iy0, %c1 : index
            %iyge = arith.cmpi sge, %iy, %c0 : index
            %iylt = arith.cmpi slt, %iy, %c8 : index
            %iyok = arith.andi %iyge, %iylt : i1
            %s3 = scf.if %iyok -> (i32) {
              %s2 = scf.for %kx = %c0 to %c3 step %c1 iter_args(%acc = %acc1) -> (i32) {
                %ix0 = arith.addi %ox, %kx : index
                %ix = arith.subi %ix0, %c1 : index
                %ixge = arith.cmpi sge, %ix, %c0 : index
                %ixlt = arith.cmpi slt, %ix, %c8 : index
                %ixok = arith.andi %ixge, %ixlt : i1
                %s4 = scf.if %ixok -> (i32) {
                  %v = memref.load %x[%c0, %ic, %iy, %ix] : memref<1x3x8x8xi8>
                  %k = memref.load %w[%oc, %ic, %ky, %kx] : memref<2x3x3x3xi8>
                  %v32 = arith.extsi %v : i8 to i32
                  %k32 = arith.extsi %k : i8 to i32
                  %p = arith.muli %v32, %k32 : i32
                  %n = arith.addi %acc, %p overflow<nsw> : i32
                  scf.yield %n : i32
                } else {
                  scf.yield %acc : i32
                }
                scf.yield %s4 : i32
              }
              scf.yield %s2 : i32
            } else {
              scf.yield %acc1 : i32
            }
            scf.yield %s3 : i32
          }
          scf.yield %s1 : i32
        }
        %wide = arith.extsi %sum : i32 to i64
        %m = arith.muli %wide, %mul : i64
        %a = arith.addi %m, %round : i64
        %sh = arith.shrsi %a, %shift : i64
        %t = arith.trunci %sh : i64 to i32
        %t1 = arith.maxsi %t, %lo : i32
        %t2 = arith.minsi %t1, %hi : i32
        %r = arith.trunci %t2 : i32 to i8
        memref.store %r, %o[%c0, %oc, %oy, %ox] : memref<1x2x8x8xi8>
      }
    }
  }
  func.return
}
func.func @network(%in: memref<1x3x8x8xi8> {onnx.name = "input", onnx.type = "ui8"},
                   %out: memref<1x2x8x8xi8> {onnx.name = "class", tilewright.output}) {
  %arena = memref.get_global @arena : memref<256xi8>
  %c64 = arith.constant 64 : index
  %b0 = memref.view %arena[%c64][] : memref<256xi8> to memref<1x2x8x8xi8>
  %w0 = memref.get_global @w0 : memref<2x3x3x3xi8>
  func.call @conv(%in, %w0, %b0) : (memref<1x3x8x8xi8>, memref<2x3x3x3xi8>, memref<1x2x8x8xi8>) -> () loc(fused["Conv_16", "Req*/_17"])
  memref.copy %b0, %out : memref<1x2x8x8xi8> to memref<1x2x8x8xi8>
  func.return
}
