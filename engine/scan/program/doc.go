// Package program reads programs and says what running them would do: which
// commands they start and which functions they call, with arguments put
// together from constants, variables, escapes and decoders, and where the data
// in these arguments came from.
//
// It reads shell on the syntax tree of mvdan.cc/sh, JavaScript on the tokens of
// tdewolff's lexer, Python on those of its own, and follows commands inside
// commands (sh -c, python -c, eval, xargs). What it cannot parse it splits at
// blanks and operators, so that a malformed program is read worse and not less.
//
// Ruby, Perl, PHP, PowerShell and compiled languages (Go, Rust, Java, Kotlin, Groovy, C#,
// Swift, Scala, Dart) are read by their statements: which variables one mentions, what it
// fetches or decodes, and what it runs, sends or writes. Classes, branches and what is
// passed through objects mean nothing there.
//
// It judges nothing, runs nothing and fetches nothing. A Reading is a function
// of the text, takes time linear in its length, and is an over-approximation:
// variables are followed by name, without regard to which branch is taken.
package program
