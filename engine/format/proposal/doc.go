// Package proposal is one change that somebody asks for: its file
// (proposals/<yyyy>/<mm>/<dd>/<id>.md), the drafts that become one, and the
// states that it passes through.
//
// It turns text into values and values into text. It knows no branch, no pull
// request and no verdict; nothing here reads a file or a clock.
package proposal
