// Package stage makes the last step before an untrusted program: a small program
// that, inside of the namespaces that bubblewrap made, gives up what is left of its
// rights and becomes the other program.
//
// What it does is an [Order], from which outside, where there is time and memory, a list
// of system calls with all of their arguments is made. The program itself is that list and
// some thirty instructions that go through it, and stop at the first call that fails; they
// are written in the assembler of Go, in code_linux_*.s, and copied from this program. No
// runtime has to be set up inside, which took longer than all the rest (docs/adr/0021).
//
// It knows nothing of tools, specs or policies. It never runs anything by itself, and
// what it makes takes rights away only from the process that runs it.
package stage
