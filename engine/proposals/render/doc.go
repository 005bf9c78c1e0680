// Package render writes reports of validation and of tests in the forms that people and programs
// read: plain text, JSON, GitHub workflow commands, Markdown for a comment, SARIF.
//
// All content from a proposal is hostile here: paths, evidence and messages that quote them. Each
// form escapes it for its own sink, so that no report can start a command in a log, mention or
// link anybody in a comment, or turn the direction of text on a terminal. The bytes depend only on
// the report: not on clock, host or colour.
package render
