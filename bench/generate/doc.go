// Package generate makes workspaces of any size for tests and benchmarks:
// capabilities in groups with text that reads and searches like real ones.
//
// The same options give the same bytes on every machine, and each capability is a
// function of its number alone, so that a hundred thousand of them never have to
// be in memory together. What is generated passes validation. It is support for
// tests: nothing that is shipped may import it.
package generate
