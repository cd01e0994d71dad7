// RUN: opt-tool %s -p name-network{prefix=one} | filecheck %s
// RUN: opt-tool %s -p name-network{prefix=one} -t c | filecheck %s --check-prefix C

// CHECK: builtin.module attributes {tilewright.name = "one"}
// C: #ifndef ONE_H
// C: void one_run(

// CHECK: emitc.global static const @one_table
emitc.global static const @table : !emitc.array<2xi32> = dense<[1, 2]>

// CHECK: emitc.global static @one_arena
emitc.global static @network_arena : !emitc.array<2xi32>

// CHECK: emitc.func @one_copy
emitc.func @copy(%x: !emitc.ptr<i32>) attributes {specifiers = ["static"]} {
  // CHECK: emitc.get_global @one_arena
  %0 = emitc.get_global @network_arena : !emitc.array<2xi32>
  emitc.return
}

// CHECK: emitc.func @one_run
emitc.func @network_run(%x: !emitc.ptr<i32>) {
  // CHECK: emitc.call @one_copy
  emitc.call @copy(%x) : (!emitc.ptr<i32>) -> ()
  emitc.return
}
