// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s -t 'mlir{generic=true}' | opt-tool | filecheck %s

// CHECK: emitc.include <"stdint.h">
emitc.include <"stdint.h">
// CHECK-NEXT: emitc.include "tilewright.h"
emitc.include "tilewright.h"
// CHECK-NEXT: emitc.verbatim "#pragma once"
emitc.verbatim "#pragma once"
// CHECK-NEXT: emitc.global static const @w : !emitc.array<2xi8> = dense<[1, -2]> {tilewright.alignment = 16 : i64}
emitc.global static const @w : !emitc.array<2xi8> = dense<[1, -2]> {tilewright.alignment = 16 : i64}
// CHECK-NEXT: emitc.global extern @x : !emitc.array<2xf32>
emitc.global extern @x : !emitc.array<2xf32>
// CHECK-NEXT: emitc.global @y : i32 = 0 : i32
emitc.global @y : i32 = 0 : i32
// CHECK-NEXT: emitc.func @twice(%a: i32) -> i32 attributes {specifiers = ["static", "inline"]} {
emitc.func @twice(%a: i32) -> i32 attributes {specifiers = ["static", "inline"]} {
  // CHECK-NEXT: %r = emitc.add %a, %a : (i32, i32) -> i32
  %r = emitc.add %a, %a : (i32, i32) -> i32
  // CHECK-NEXT: emitc.return %r : i32
  emitc.return %r : i32
}
// CHECK: emitc.func @all(%p: !emitc.ptr<i8> {tilewright.const}, %n: i32, %f: f32) {
emitc.func @all(%p: !emitc.ptr<i8> {tilewright.const}, %n: i32, %f: f32) {
  // CHECK-NEXT: %zero = "emitc.constant"() <{value = 0 : i32}> : () -> i32
  %zero = "emitc.constant"() <{value = 0 : i32}> : () -> i32
  // CHECK-NEXT: %one = emitc.literal "1" : i32
  %one = emitc.literal "1" : i32
  // CHECK-NEXT: %acc = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<i32>
  %acc = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<i32>
  // CHECK-NEXT: emitc.assign %n : i32 to %acc : !emitc.lvalue<i32>
  emitc.assign %n : i32 to %acc : !emitc.lvalue<i32>
  // CHECK-NEXT: %w = emitc.get_global @w : !emitc.array<2xi8>
  %w = emitc.get_global @w : !emitc.array<2xi8>
  // CHECK-NEXT: emitc.for %i = %zero to %n step %one : i32 {
  emitc.for %i = %zero to %n step %one : i32 {
    // CHECK-NEXT: %e = emitc.subscript %p[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
    %e = emitc.subscript %p[%i] : (!emitc.ptr<i8>, i32) -> !emitc.lvalue<i8>
    // CHECK-NEXT: %v = emitc.load %e : !emitc.lvalue<i8>
    %v = emitc.load %e : !emitc.lvalue<i8>
    // CHECK-NEXT: %c = emitc.cmp lt, %v, %i : (i8, i32) -> i1
    %c = emitc.cmp lt, %v, %i : (i8, i32) -> i1
    // CHECK-NEXT: emitc.if %c {
    emitc.if %c {
      // CHECK-NEXT: emitc.assign %i : i32 to %acc : !emitc.lvalue<i32>
      emitc.assign %i : i32 to %acc : !emitc.lvalue<i32>
    // CHECK-NEXT: } else {
    } else {
      // CHECK-NEXT: %t = emitc.call @twice(%i) : (i32) -> i32
      %t = emitc.call @twice(%i) : (i32) -> i32
    // CHECK-NEXT: }
    }
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: %s0 = emitc.sub %n, %one : (i32, i32) -> i32
  %s0 = emitc.sub %n, %one : (i32, i32) -> i32
  // CHECK-NEXT: %s1 = emitc.mul %s0, %n : (i32, i32) -> i32
  %s1 = emitc.mul %s0, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s2 = emitc.div %s1, %n : (i32, i32) -> i32
  %s2 = emitc.div %s1, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s3 = emitc.rem %s2, %n : (i32, i32) -> i32
  %s3 = emitc.rem %s2, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s4 = emitc.bitwise_and %s3, %n : (i32, i32) -> i32
  %s4 = emitc.bitwise_and %s3, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s5 = emitc.bitwise_or %s4, %n : (i32, i32) -> i32
  %s5 = emitc.bitwise_or %s4, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s6 = emitc.bitwise_xor %s5, %n : (i32, i32) -> i32
  %s6 = emitc.bitwise_xor %s5, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s7 = emitc.bitwise_left_shift %s6, %n : (i32, i32) -> i32
  %s7 = emitc.bitwise_left_shift %s6, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s8 = emitc.bitwise_right_shift %s7, %n : (i32, i32) -> i32
  %s8 = emitc.bitwise_right_shift %s7, %n : (i32, i32) -> i32
  // CHECK-NEXT: %s9 = emitc.bitwise_not %s8 : (i32) -> i32
  %s9 = emitc.bitwise_not %s8 : (i32) -> i32
  // CHECK-NEXT: %m = emitc.unary_minus %f : (f32) -> f32
  %m = emitc.unary_minus %f : (f32) -> f32
  // CHECK-NEXT: %q = emitc.unary_plus %m : (f32) -> f32
  %q = emitc.unary_plus %m : (f32) -> f32
  // CHECK-NEXT: %l0 = emitc.logical_not %n : i32
  %l0 = emitc.logical_not %n : i32
  // CHECK-NEXT: %l1 = emitc.logical_and %l0, %n : i1, i32
  %l1 = emitc.logical_and %l0, %n : i1, i32
  // CHECK-NEXT: %l2 = emitc.logical_or %l1, %n : i1, i32
  %l2 = emitc.logical_or %l1, %n : i1, i32
  // CHECK-NEXT: %d = emitc.conditional %l2, %m, %q : f32
  %d = emitc.conditional %l2, %m, %q : f32
  // CHECK-NEXT: %u = emitc.cast %s9 : i32 to ui32
  %u = emitc.cast %s9 : i32 to ui32
  // CHECK-NEXT: %o = emitc.call_opaque "tw_exp_f32"(%d) : (f32) -> f32
  %o = emitc.call_opaque "tw_exp_f32"(%d) : (f32) -> f32
  // CHECK-NEXT: emitc.verbatim "use({});" args %o : f32
  emitc.verbatim "use({});" args %o : f32
  // CHECK-NEXT: emitc.return
  emitc.return
}
