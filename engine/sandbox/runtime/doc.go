// Package runtime lists the runtimes whose programs run inside the sandbox: the command line of
// each, and its file extensions. It starts nothing.
package runtime
