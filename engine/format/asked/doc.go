// Package asked is the form in which the user's own folder says who is asked for something
// by assent: a program, or a model behind an address. opinion.yaml names whoever gives
// second opinions, drafter.yaml whoever fills in templates. It reads answers, too: one JSON
// object of exactly the form that was asked for, and nothing else.
//
// It asks nobody; package ask does. The files are never read from a workspace, because a
// repository must not run commands on the machine of whoever reads it.
package asked
