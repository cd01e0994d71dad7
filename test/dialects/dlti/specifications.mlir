// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | filecheck %s --check-prefix=CHECK-GENERIC
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// Specifications are read in the syntax of MLIR 19 and in that of newer releases; in generic form they are MLIR 19's.

// CHECK:      a = #dlti.dl_spec<index = 32 : i32, "dlti.endianness" = "little">
// CHECK-SAME: b = #dlti.dl_spec<index = 32 : i32>
// CHECK-SAME: c = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"size" = 64 : i32>>
// CHECK-SAME: d = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"size" = 64 : i32>>
// CHECK-SAME: e = #dlti.dl_entry<i8, 3 : i32>
// CHECK-SAME: f = #dlti.dl_spec<>
// CHECK-GENERIC:      a = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i32>, #dlti.dl_entry<"dlti.endianness", "little">>
// CHECK-GENERIC-SAME: c = #dlti.target_system_spec<"CPU" : #dlti.target_device_spec<#dlti.dl_entry<"size", 64 : i32>>>
"test.op"() {
  a = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i32>, #dlti.dl_entry<"dlti.endianness", "little">>,
  b = #dlti.dl_spec<index = 32 : i32>,
  c = #dlti.target_system_spec<"CPU" : #dlti.target_device_spec<#dlti.dl_entry<"size", 64 : i32>>>,
  d = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"size" = 64 : i32>>,
  e = #dlti.dl_entry<i8, 3 : i32>,
  f = #dlti.dl_spec<>
} : () -> ()
