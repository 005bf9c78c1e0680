// Package journal keeps append-only chains of events, one chain of commits on one ref: for a
// pull request, a workflow run, or a writer's trials.
//
// An event is a commit: its message describes the event, with trailers, and its tree holds the
// payload. Its first parent is the previous event; further parents keep other commits
// reachable. Append reads the history, decides, and moves the ref by compare-and-swap. It
// starts over if another writer was first, so no event is lost and every decision is based on
// the history that it extends.
//
// The package must never rewrite or drop an event, interpret fields, or trust a commit's author
// line: only a signature in the payload proves who did something.
package journal
