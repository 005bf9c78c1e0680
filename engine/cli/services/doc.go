// Package services holds tests only: scripts of the real program with a real Gitea as hub, on
// whose pages other people decide, press the merge button, and propose by hand.
//
// The scripts type the commands of engine/cli; package clitest sets them up.
package services
