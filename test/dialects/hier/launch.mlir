// RUN: opt-tool %s | opt-tool | filecheck %s

// CHECK-LABEL: func.func @beside
// CHECK-NEXT:    %[[JOB:.*]] = hier.launch {
// CHECK-NEXT:      memref.copy %a, %b
// CHECK-NEXT:    }
// CHECK-NEXT:    hier.join %[[JOB]]
func.func @beside(%a: memref<8xi8>, %b: memref<8xi8>) {
  %job = hier.launch {
    memref.copy %a, %b : memref<8xi8> to memref<8xi8>
  }
  hier.join %job
  func.return
}
