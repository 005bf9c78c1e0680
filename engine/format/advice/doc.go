// Package advice is the form of second opinions: what whoever is asked answers, and the
// record of an answer that is kept beside a proposal, bound to the exact content that it
// is about.
//
// It asks nobody; package opinion does. A record is what the program that wrote it was
// told. Whoever can write a journal can write another, so that nothing is ever allowed
// because of one: package policy lets it ask for more only.
package advice
