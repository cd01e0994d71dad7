// RUN: not opt-tool %s -p cse --remarks %t.txt 2>&1 | filecheck %s --check-prefix=SUFFIX
// RUN: not opt-tool %s -p cse --remarks %t.none/a.json 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not opt-tool %s -p cse --remarks %t.json -o %t.json 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not opt-tool %s -p cse --remarks-filter=fusion 2>&1 | filecheck %s --check-prefix=UNUSED
// RUN: not opt-tool %s -p cse --remarks - --remarks-filter='(' 2>&1 | filecheck %s --check-prefix=REGEX
// RUN: not opt-tool %s -p cse --explain=%%a --split-input-file 2>&1 | filecheck %s --check-prefix=PARTS
// RUN: not opt-tool %s -p cse --explain=%%b 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not opt-tool %s -p cse --explain=%%a 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not opt-tool %s -p cse --explain=%%x 2>&1 | filecheck %s --check-prefix=ARGUMENT
// RUN: not opt-tool %s -p cse --explain=Conv_3 2>&1 | filecheck %s --check-prefix=NODE
// RUN: not opt-tool %s -p cse,hoist --remarks %t.json 2>&1 | filecheck %s --check-prefix=FAILED
// RUN: not opt-tool %s -p cse --remarks-filter=. --verify-diagnostics 2>&1 | filecheck %s --check-prefix=UNMET

// SUFFIX:      error: no form of remarks has such files
// SUFFIX-NEXT:   expected:   - for standard error, or a file that ends with .json or .html
// FOLDER:      a.json: error: the file cannot be written: there is no such folder
// TWICE:       error: two files have one place
// UNUSED:      error: --remarks-filter is of use with --remarks or --verify-diagnostics only
// REGEX:       error: the regular expression is malformed
// PARTS:       error: --explain and --split-input-file are given together
// VALUE:       error: --explain: no value '%b'
// VALUE-NEXT:    remedy: did you mean {{.*}}'%a'
// TWO:         error: --explain: 2 functions have a value '%a'
// TWO-NEXT:      expected:   @f::%a or @g::%a
// ARGUMENT:    error: --explain: '%x' is an argument, which no op defines
// NODE:        error: --explain: no op comes from 'Conv_3'
// FAILED:      error: {{.*}}no pass 'hoist'
// UNMET:       error: expected remark did not come: missed
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32 // expected-remark {{missed}}
  func.return %a : i32
}

func.func @g(%y: i32) -> i32 {
  %a = arith.muli %y, %y : i32
  func.return %a : i32
}
