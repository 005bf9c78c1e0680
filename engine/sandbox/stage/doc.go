// Package stage builds the last step before an untrusted program: a small program that runs
// inside bubblewrap's namespaces, drops its remaining rights and executes the untrusted
// program.
//
// An [Order] describes its actions. Outside, where time and memory are available, the Order is
// converted to a list of system calls with all their arguments. The small program consists of
// that list and some thirty instructions that execute it and stop at the first failing call.
// They are written in Go's assembler, in code_linux_*.s, and copied from this program. Nothing
// has to initialise a runtime inside, which took longer than everything else (docs/adr/0021).
//
// The package knows no tools, specs or policies. It runs nothing itself, and the program only
// drops rights of its own process.
package stage
