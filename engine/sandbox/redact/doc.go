// Package redact removes secrets from text: by value, in the usual encodings, across line
// breaks of encoders, and across write boundaries. It also removes login variables from
// environments, by name.
//
// It does not recognise secrets by their form (engine/scan does), and cannot find a value that
// was altered on purpose: reversed, encrypted, or split by other text. docs/sandbox.md says so.
package redact
