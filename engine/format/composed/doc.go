// Package composed runs composed tools: Starlark programs that call other tools by
// name. It reads a program, says what is wrong with it and which tools it calls,
// and runs it upon one input.
//
// A program defines main(input), whose answer is the tool's. It has the builtins of
// Starlark but for set, a json value with encode and decode, and tools, which may
// only be called: tools.parse_csv(text = …). So its dependencies can be read from
// its text. It has no load, no recursion, no while, no clock, no randomness, no
// files and no network: the same input gives the same answer, given the same
// answers of the tools that it calls.
//
// What a run may use up is bounded: steps, the bytes that it makes in all, calls of
// tools, and how deep values are nested. The bounds hold inside of one operation
// too, which the library does not promise: operators, methods, builtins and keys go
// through functions of this package that measure first (see rewrite). The package
// must never call a tool by itself: whoever runs a program hands in how.
package composed
