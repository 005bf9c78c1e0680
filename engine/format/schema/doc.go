// Package schema publishes the JSON Schemas (2020-12) of the files that assent
// reads, so that editors complete them and other programs can check them.
//
// The parsers are the judges: a schema says what can be said about one file by
// itself, and a test holds both against the same fixtures. It must never be used
// by the gate in place of a parser.
package schema
