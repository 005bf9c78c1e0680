// Package demo plays the main job of assent in a fresh folder: a proposal that is approved,
// changed, approved again and merged, others that are refused, a commit past the gate, an undo,
// and a falsified record that is detected.
//
// It runs the shipped program and git as a person at a shell would, one process for each command
// line, and passes each line to its audience. These lines, one after the other, are a shell script
// that plays the same in another folder; a test of package cli replays them and compares the
// results.
//
// It must never write outside its own folder, read the user's configuration of Git, use the
// network, or go on after a failed expectation: then it stops and names it.
package demo
