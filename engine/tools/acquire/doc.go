// Package acquire makes a tool of submitted code. If the code does not parse as it is, it removes
// a wrapper around it. It calls the code with a payload in the sandbox as it would be called when
// in force (package tool), and lays out the folder of a capability whose first case is that call.
//
// Code that does not pass, or that is in force or proposed already, is refused. The package
// writes nothing, and runs nothing without the given runner.
package acquire
