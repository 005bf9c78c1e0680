// Package program reads programs and says what running them would do: which
// commands they start and which functions they call, with arguments put
// together from constants, variables, escapes and decoders, and where the data
// in these arguments came from.
//
// It reads shell on the syntax tree of mvdan.cc/sh, JavaScript on the tokens of
// tdewolff's lexer, and Python on the tokens of its own lexer. It follows commands
// inside commands (sh -c, python -c, eval, xargs). It splits text that it cannot
// parse at blanks and operators, so that a malformed program is read less precisely
// but still in full.
//
// Ruby, Perl, PHP, PowerShell and compiled languages (Go, Rust, Java, Kotlin, Groovy, C#,
// Swift, Scala, Dart) are read by their statements: which variables a statement mentions,
// which data it fetches or decodes, and which it runs, sends or writes. Classes, branches
// and data passed through objects are ignored there.
//
// It judges nothing, runs nothing and fetches nothing. A Reading is a function
// of the text, takes time linear in its length, and is an over-approximation:
// variables are followed by name, without regard to which branch is taken.
package program
