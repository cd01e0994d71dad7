// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s | opt-tool | filecheck %s

// Where xDSL prints another custom syntax than upstream reads, the form is generic.

// CHECK: "llvm.func"() <{
"llvm.func"() ({
}) {CConv = #llvm.cconv<swiftcc>, function_type = !llvm.func<void (i64)>, linkage = #llvm.linkage<external>, sym_name = "both", visibility_ = 1 : i64} : () -> ()

// CHECK: llvm.func swiftcc @one(i64)
"llvm.func"() ({
}) {CConv = #llvm.cconv<swiftcc>, function_type = !llvm.func<void (i64)>, linkage = #llvm.linkage<external>, sym_name = "one", visibility_ = 0 : i64} : () -> ()

// CHECK: llvm.func hidden @other(i64)
"llvm.func"() ({
}) {CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (i64)>, linkage = #llvm.linkage<external>, sym_name = "other", visibility_ = 1 : i64} : () -> ()
