// Package notice says who is to be told what about a proposal, and where: it reads
// notify.yaml, makes notices of what was examined, and names each so that nobody is
// told twice.
//
// It sends nothing and remembers nothing; package notify does. It never reads the
// configuration from a workspace: a repository must not run commands on the machine
// of whoever reads it.
package notice
