// Package notice decides who is notified about a proposal or run, and where: it reads
// notify.yaml, makes notices from what was examined, and gives each a key so that it is
// sent once.
//
// It sends nothing and remembers nothing; package notify does. It never reads the
// configuration from a workspace, because a repository must not run commands on its
// readers' machines.
package notice
