// Package doctor looks for what is wrong with a machine, a repository and a
// workspace, says what to do about it, and mends what can be mended without a
// choice that somebody would want to make.
//
// Examining writes nothing but a file that it removes again, to see whether it
// could. Mending never touches a file that somebody edited, a ref that says
// something, a policy or a key's content; it removes what is left over, restores
// what a log names, and brings checkouts to where the refs are.
package doctor
