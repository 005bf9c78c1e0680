// Package fts5 searches with SQLite's full-text index, as the peer of a search of
// our own: the C library, as Python brings it, in a process beside this one. Only the
// query is timed, inside of that process.
package fts5
