// Package schema publishes the JSON Schemas (2020-12) of the files that assent
// reads, so that editors complete them and other programs can check them.
//
// The parsers are authoritative: a schema only describes one file by itself, and a test
// checks both against the same fixtures. The gate must never use a schema instead of a
// parser.
package schema
