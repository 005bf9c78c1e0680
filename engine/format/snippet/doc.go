// Package snippet examines code as models submit it: wrapped in a transport format, with
// a function that is never called, or only wrapping another tool. It unwraps such code
// and suggests corrections to the author.
//
// It never changes code that parses, leaves parsing to the language itself, and refuses
// nothing: its findings are hints.
package snippet
