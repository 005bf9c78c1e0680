// Package version says which assent this is.
package version

// Engine is the program's version. It is part of every report, so it changes with
// every release that changes what a rule finds.
const Engine = "0.5.0"
