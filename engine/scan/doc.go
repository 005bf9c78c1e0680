// Package scan reads the files of a capability, a soul or a proposal and says
// what in them is dangerous, suspicious or unreadable.
//
// Findings come in three strengths. An Error is certain by its form (a decoded
// payload fed to a shell, credentials sent away, reordered source text) and
// blocks. A Warning escalates: a person must look at the line. A Note informs.
// A clean scan is no proof of harmlessness and nothing may merge because of it.
//
// Files judges a set of files by itself; New judges the additions of a change.
// Every rule is an entry of a file below rules, with its reason, its remedy and its
// examples; docs/checks.md shows them. Python programs of one folder that import
// each other are also read together.
//
// The package never runs, fetches, unpacks or rewrites its input. It decodes at
// most two levels of encoding, and takes time linear in the size of any input.
package scan
