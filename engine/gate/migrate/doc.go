// Package migrate decides how the files of a workspace change from one format to the
// next. Each step is proposed, reviewed and merged like any other change.
//
// It is a pure function of the tree in force. It proposes nothing itself and knows no
// repository. It never rewrites journals and refs: a format says how they may look
// from then on.
package migrate
