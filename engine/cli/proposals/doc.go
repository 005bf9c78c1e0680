// Package proposals has the commands of a proposal's life, from propose to merge and undo, and
// those that exchange proposals with a remote.
//
// Its scripts run the real program. They follow a proposal from the right to propose, through the
// requirements of the policies and the reviews, to a merge, an undo or the way out of every other
// state; also with several clones of a hub. Package clitest sets them up.
package proposals
