// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{the bytes of a constant do not fit its type: expected 4 bytes, or 1 for equal elements, found 3}}
%0 = arith.constant dense<"0x0B0F07"> : tensor<4xi4>

// -----

// expected-error@+1 {{expected 8 bytes, or 2 for equal elements, found 4}}
%0 = arith.constant dense<"0x0B0F0700"> : tensor<4xi12>

// -----

// expected-error@+1 {{expected 2 bytes, 8 elements in each, or 1 for equal elements, found 9}}
%0 = arith.constant dense<"0x010000000000000001"> : tensor<9xi1>

// -----

// 0x03 is one byte of bits that differ, 9 elements take two.
// expected-error@+1 {{expected 2 bytes, 8 elements in each, or 1 for equal elements, found 1}}
%0 = arith.constant dense<"0x03"> : tensor<9xi1>

// -----

// expected-error@+1 {{the bytes of a constant are malformed: expected 0x and pairs of digits, found '0B0F'}}
%0 = arith.constant dense<"0B0F"> : tensor<1xi8>

// -----

// expected-error@+1 {{expected 0x and pairs of digits, found '0x0B0'}}
%0 = arith.constant dense<"0x0B0"> : tensor<1xi8>

// -----

// expected-error@+1 {{expected 0x and pairs of digits, found '0x0B 0F'}}
%0 = arith.constant dense<"0x0B 0F"> : tensor<2xi8>

// -----

// expected-error@+1 {{the raw bytes of a constant of i65 are not supported: expected at most 64 bits}}
%0 = arith.constant dense<"0x0B0F070000000000000000"> : tensor<1xi65>

// -----

// expected-error@+1 {{expected 8 bytes, or 4 for equal elements, found 3}}
%0 = arith.constant dense<"0x0B0F07"> : tensor<2xf32>
