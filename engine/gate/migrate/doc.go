// Package migrate decides what has to change in a workspace for it to be of the
// next format: one step at a time, each of which is proposed, reviewed and merged
// like any other change.
//
// It is a pure function of the tree in force. It proposes nothing itself, knows no
// repository, and never touches what only journals and refs hold: a format says
// what those may look like from then on, and nothing has to be rewritten for it.
package migrate
