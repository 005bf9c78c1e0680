// Package runtime is the table of runtimes whose programs run inside the sandbox:
// how each is started with a file, and which files it is for. It starts nothing.
package runtime
