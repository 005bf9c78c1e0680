// Package proposal defines a requested change: its file
// (proposals/<yyyy>/<mm>/<dd>/<id>.md), the drafts that become one, and its states.
//
// It converts between text and values. It knows no branches, pull requests or verdicts,
// and reads no file or clock.
package proposal
