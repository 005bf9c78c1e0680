// Package link chooses the capabilities for a mission: it parts the mission into steps, takes for
// each step what fits and did well, closes over what that requires, and says what nothing serves,
// what was left out, and why.
//
// It decides from values that are handed in, and decides the same from the same ones. It reads no
// clock and no file, and admits nothing: each use of what is linked is judged when it is made.
package link
