// Package condition compiles conditions in CEL (the Common Expression Language)
// over declared facts, and evaluates them.
//
// Compile reports every error in a condition with line, column and a likely correction: syntax,
// unknown names, wrong types, a result that is not a boolean, and texts that a fact never has.
// The cost of one evaluation is bounded. A failing evaluation is an error whose effect the
// caller decides.
//
// The package knows no policies or facts of its own. It initialises the library when the first
// condition is compiled.
package condition
