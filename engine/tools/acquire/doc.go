// Package acquire makes a tool of code that somebody hands over: it takes off what the
// code was wrapped in, if it does not parse as it is, calls it with a payload in the
// sandbox as it would be called when in force (package tool), and lays out the folder of
// a capability whose first case is that call.
//
// Nothing comes of code that does not pass, or that is in force or proposed already. The
// package writes nothing, and runs nothing without the runner that it is given.
package acquire
