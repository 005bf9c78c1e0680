// Package redact takes secrets out of text: by value, in the encodings in which
// values usually travel, with the lines that encoders break, and across the borders of writes; and logins out of environments,
// by name.
//
// It recognises no secrets by their looks (engine/scan does) and cannot find a value
// that was changed on purpose: reversed, encrypted, or split with something between.
// docs/sandbox.md says so.
package redact
