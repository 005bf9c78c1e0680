// Package snippet reads code as a model hands it over: wrapped in what it was
// transmitted in, with a function that nothing calls, or made only to start another
// tool. It says how such code can be unwrapped, and what to tell whoever wrote it.
//
// It never changes code that parses, cannot tell whether code does (that is asked of
// the language itself), and refuses nothing: what it finds are hints.
package snippet
