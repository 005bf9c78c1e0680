// Package stage is the last step before a program that nobody trusts: inside of the
// namespaces that bubblewrap made, this program starts once more, gives up what is
// left of its rights, and becomes the other program.
//
// It begins in an init function, the only one here: before the rest of the program
// has been set up, which a call of a tool should not wait for (docs/adr/0021). It does
// nothing unless Variable is in the environment. What it takes away is taken from
// itself alone, so it is safe to be entered by anybody, at any time.
//
// It knows nothing of tools, specs or policies, and imports as little as it can.
package stage
