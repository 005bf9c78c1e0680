// Package connect chooses the forge of a workspace: the embedded one, or the service of the
// repository's remote, with the user's login there.
//
// Git's configuration and the remote's address decide, never a file of the workspace: a
// proposal cannot choose where approvals are read.
package connect
