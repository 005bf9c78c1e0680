// Package proposals holds tests only: scripts of the real program that follow a
// proposal through its life, from who may propose what, over what the policies demand
// and who decides, to a merge, an undo or the way out of every other state; also where
// several clones share a hub.
//
// The scripts are of engine/cli, whose commands they type; package clitest says what
// they run in.
package proposals
