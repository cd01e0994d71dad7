// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{0x1FFFF is not the 16 bits of a value of f16}}
%0 = arith.constant dense<[0x1FFFF, 1.0]> : tensor<2xf16>

// -----

// expected-error@+1 {{-0x3C00 is not the 16 bits of a value of f16}}
%0 = arith.constant dense<-0x3C00> : tensor<2xf16>

// -----

// expected-error@+1 {{expected a complex number of two floats or two integers}}
%0 = arith.constant dense<(1.0, 2)> : tensor<2xcomplex<f32>>
