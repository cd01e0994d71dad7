// RUN: opt-tool %s -p 'cse,dce,cse' --insert-after=dce 'canonicalize,fold-constants{limit=7}' --insert-before cse#2 licm --insert-after dce inline --dump-pass-pipeline -o %t 2>&1 \
// RUN:   | filecheck %s --check-prefix=PASSES
// RUN: opt-tool %s -p host-pipeline --insert-before=fused 'func.func(sccp)' --insert-after tensor inline --insert-after=tensor licm \
// RUN:   --start-at=inline --stop-after=sccp --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix=PHASES
// RUN: not opt-tool %s -p cse,dce,cse --insert-after=cse licm 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not opt-tool %s -p cse --insert-before=cs licm 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not opt-tool %s -p cse --insert-before=cse 2>&1 | filecheck %s --check-prefix=VALUES
// RUN: not opt-tool %s -p cse --insert-before=cse lim 2>&1 | filecheck %s --check-prefix=PASS

// PASSES: builtin.module(cse,dce,canonicalize{{[^}]*}}},fold-constants{limit=7},inline,licm{{.*}},cse)

// PHASES:      (inline)
// PHASES:      (licm)
// PHASES:      (sccp)
// PHASES-NOT:  IR Dump

// TWICE: error: --insert-after=cse: 'cse' occurs 2 times
// UNKNOWN: error: --insert-before=cs: the pipeline has no phase or pass 'cs'
// VALUES: error: argument --insert-before: expected 2 arguments
// PASS: no pass 'lim'

func.func @network() {
  func.return
}
