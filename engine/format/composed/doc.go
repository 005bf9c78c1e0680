// Package composed runs composed tools: Starlark programs that call other tools by name.
// It parses a program, reports its faults and its calls, and runs it on one input.
//
// A program defines main(input), which returns the tool's answer. It has the builtins of
// Starlark except set, a json value with encode and decode, and tools, which may only be
// called: tools.parse_csv(text = …). Its dependencies can thus be read from its text. It
// has no load, recursion, while, clock, randomness, files or network. The same input and
// the same answers of called tools give the same answer.
//
// Limits bound a run: steps, the total bytes of its values, calls of tools, and the
// nesting of values. They hold within one operation too, which the library does not
// guarantee: operators, methods, builtins and keys go through functions of this package
// that measure first (see rewrite). The package must never call a tool by itself; the
// caller of Run provides a Caller.
package composed
