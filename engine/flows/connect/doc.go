// Package connect chooses the forge of a workspace: the embedded one, or the service
// that the repository's remote is on, with the login that the user has there.
//
// Git's configuration and the remote's address decide, never a file of the workspace:
// a proposal cannot say where approvals are to be read.
package connect
