// Package runs holds tests only: scripts of the real program about what runs. Those are
// the passes and the daemon, with the workflows, tasks and scripts that they carry on
// and the notices that they send; and the tools, which are called, tested, written by
// a drafter, and put into quarantine when they fail.
//
// The scripts are of engine/cli, whose commands they type; package clitest says what
// they run in.
package runs
