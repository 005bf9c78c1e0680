// Package condition compiles conditions in CEL (the Common Expression Language)
// over declared facts, and evaluates them.
//
// Every error in a condition is reported when it is compiled, with
// line and column and the name that was probably meant: syntax, unknown names,
// wrong types, an answer that is no boolean, and texts that a fact never has. What
// one evaluation may cost is bounded; one that fails is an error, and the caller
// decides what that means.
//
// It knows no policy and no fact of its own. The library is set up at the first
// condition that is compiled, never before.
package condition
