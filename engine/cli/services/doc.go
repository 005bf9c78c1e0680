// Package services holds tests only: scripts of the real program whose hub is a real
// Gitea, on whose pages other people decide, press the button, and propose by hand.
//
// The scripts are of engine/cli, whose commands they type; package clitest says what
// they run in.
package services
