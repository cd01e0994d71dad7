// RUN: opt-tool %s --view-op-graph -o %t 2>&1 | filecheck %s
// RUN: opt-tool %s -p 'view-op-graph{max-label-len=3 print-attrs=false print-control-flow-edges=true}' -o %t 2>&1 | filecheck %s --check-prefix=CONTROL

// The text is that of mlir-opt 19.
// CHECK:      {{^}}digraph G {
// CHECK-NEXT: {{^}}  compound = true;
// CHECK-NEXT: {{^}}  subgraph cluster_1 {
// CHECK-NEXT: {{^}}    v2 [label = " ", shape = plain];
// CHECK-NEXT: {{^}}    label = "builtin.module : ()\n";
// CHECK-NEXT: {{^}}    subgraph cluster_3 {
// CHECK-NEXT:            v4 [label = " ", shape = plain];
// CHECK-NEXT:            label = "";
// CHECK-NEXT:            subgraph cluster_5 {
// CHECK-NEXT:              v6 [label = " ", shape = plain];
// CHECK-NEXT:              label = "func.func : ()\n\nfunction_type: (i1, i32) -> i32\nsym_name: \"f\"";
// CHECK-NEXT:              subgraph cluster_7 {
// CHECK-NEXT:                v8 [label = " ", shape = plain];
// CHECK-NEXT:                label = "";
// CHECK-NEXT:                v9 [label = "arg0", shape = ellipse];
// CHECK-NEXT:                v10 [label = "arg1", shape = ellipse];
// CHECK-NEXT:                v11 [fillcolor = "0.000000 1.0 1.0", label = "arith.constant : (tensor<17xi32>)\n\nvalue: [...] : tensor<17xi32>", shape = ellipse, style = filled];
// CHECK-NEXT:                subgraph cluster_12 {
// CHECK-NEXT:                  v13 [label = " ", shape = plain];
// CHECK-NEXT:                  label = "scf.if : (i32)\n";
// CHECK:                       v19 [fillcolor = "0.285714 1.0 1.0", label = "arith.addi : (i32)\n\noverflowFlags: #arith.overflow<none...", shape = ellipse, style = filled];
// CHECK:       {{^}}  v10 -> v16 [label = "", style = solid];
// CHECK-NEXT:  {{^}}  v10 -> v19 [label = "0", style = solid];
// CHECK-NEXT:  {{^}}  v10 -> v19 [label = "1", style = solid];
// CHECK-NEXT:  {{^}}  v19 -> v20 [label = "", style = solid];
// CHECK-NEXT:  {{^}}  v9 -> v13 [lhead = cluster_12, style = solid];
// CHECK-NEXT:  {{^}}  v13 -> v21 [ltail = cluster_12, style = solid];
// CHECK-NEXT:  {{^}}}

// CONTROL:      label = "arith.constant : (ten...)", shape
// CONTROL:      {{^}}  v19 -> v20 [label = "", style = dashed];
// CONTROL-NEXT: {{^}}  v11 -> v13 [lhead = cluster_12, style = dashed];
// CONTROL-NEXT: {{^}}  v13 -> v21 [ltail = cluster_12, style = dashed];
// CONTROL-NEXT: {{^}}  v10 -> v16 [label = "", style = solid];

func.func @f(%b: i1, %a: i32) -> i32 {
  %c = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<17xi32>
  %0 = scf.if %b -> i32 {
    scf.yield %a : i32
  } else {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  }
  func.return %0 : i32
}
