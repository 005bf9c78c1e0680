// Package proposals has the commands of a proposal's life, from propose to merge and undo,
// and those that exchange proposals with a remote.
//
// Its scripts, of the real program, follow a proposal from who may propose what, over what
// the policies demand and who decides, to a merge, an undo or the way out of every other
// state; also where several clones share a hub. Package clitest says what they run in.
package proposals
