// RUN: opt-tool %s -p constant-fold-interp | filecheck %s

// The dialect keeps the interfaces of xDSL's, by which passes make constants.

// CHECK: %sum = arith.constant 3 : i32
%one = arith.constant 1 : i32
%two = arith.constant 2 : i32
%sum = arith.addi %one, %two : i32
"test.op"(%sum) : (i32) -> ()
