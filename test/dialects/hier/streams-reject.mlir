// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @unread() {
  // expected-error@below {{no program pops from the stream}}
  %s = hier.stream depth 2 : !hier.stream
  hier.concurrent {
    hier.program "a" {
      hier.reserve %s : !hier.stream
      hier.push %s : !hier.stream
    }
  }
  func.return
}

// -----

func.func @unwritten() {
  // expected-error@below {{no program pushes to the stream}}
  %s = hier.stream depth 2 : !hier.stream
  hier.concurrent {
    hier.program "a" {
      hier.pop %s : !hier.stream
      hier.release %s : !hier.stream
    }
  }
  func.return
}

// -----

func.func @depth() {
  // expected-error@below {{expected a depth of 1 or more, found 0}}
  %s = hier.stream depth 0 : !hier.stream
  func.return
}

// -----

func.func @two_producers() {
  // expected-error@below {{expected one program that pushes to the stream, found 2}}
  %s = hier.stream depth 1 : !hier.stream
  hier.concurrent {
    hier.program "a" {
      hier.reserve %s : !hier.stream
      hier.push %s : !hier.stream
    }
    hier.program "b" {
      hier.reserve %s : !hier.stream
      hier.push %s : !hier.stream
      hier.pop %s : !hier.stream
      hier.release %s : !hier.stream
    }
  }
  func.return
}

// -----

func.func @one_program() {
  // expected-error@below {{expected two programs at the ends of the stream, found one}}
  %s = hier.stream depth 1 : !hier.stream
  hier.concurrent {
    hier.program "a" {
      hier.reserve %s : !hier.stream
      hier.push %s : !hier.stream
      hier.pop %s : !hier.stream
      hier.release %s : !hier.stream
    }
  }
  func.return
}

// -----

func.func @outside() {
  %s = hier.stream depth 1 : !hier.stream
  // expected-error@below {{expected a program around the op}}
  hier.push %s : !hier.stream
  hier.concurrent {
    hier.program "a" {
      hier.pop %s : !hier.stream
    }
  }
  func.return
}

// -----

func.func @coordinates() {
  %s = hier.stream depth 1 : !hier.stream<over [4]>
  hier.concurrent {
    hier.program "a" over (%p) in [4] {
      hier.reserve %s[%p] : !hier.stream<over [4]>
      // expected-error@below {{expected 1 coordinates of the stream, found 0}}
      hier.push %s : !hier.stream<over [4]>
      hier.pop %s[%p] : !hier.stream<over [4]>
    }
  }
  func.return
}

// -----

func.func @names() {
  // expected-error@below {{expected names that differ, found a, a}}
  hier.concurrent {
    hier.program "a" {
    }
    hier.program "a" {
    }
  }
  func.return
}

// -----

func.func @nested() {
  hier.concurrent {
    hier.program "a" {
      // expected-error@below {{concurrent programs do not nest in a program}}
      hier.concurrent {
        hier.program "b" {
        }
      }
    }
  }
  func.return
}
