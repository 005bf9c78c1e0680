// Package demo plays the main job of assent in a fresh folder: a proposal that is
// approved, changed, approved again and merged, others that are refused, a commit
// that goes past the gate, an undo, a record that is falsified and found out.
//
// It runs the shipped program and git as somebody at a shell would, one process
// for each command line, and tells its audience exactly what it ran. The lines that
// it tells, put one after the other, are a shell script that plays the same in
// another folder; a test of package cli replays them and compares the results.
//
// It must never write outside its own folder, read the user's configuration of
// Git, use the network, or go on after something unexpected: then it stops and says
// which expectation failed.
package demo
