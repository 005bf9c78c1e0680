// Package version has the version of this program.
package version

// Engine is the program's version. It is part of every report, so it changes with every release
// in which a rule finds something else.
const Engine = "0.5.0"
