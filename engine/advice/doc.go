// Package advice is the form of second opinions: opinion.yaml of the user's own
// folder, which says who is asked; what they answer; and the record of an answer that
// is kept beside a proposal, bound to the exact content that it is about.
//
// It asks nobody; package opinion does. A record is what the program that wrote it was
// told. Whoever can write a journal can write another, so that nothing is ever allowed
// because of one: package policy lets it ask for more only. The configuration is never
// read from a workspace, because a repository must not run commands on the machine of
// whoever reads it.
package advice
