// Package journal keeps append-only chains of events, one chain of commits on
// one ref: a pull request, a workflow run, a writer's trials.
//
// An event is a commit: its message says what happened, with trailers, and its
// tree holds the payload. Its first parent is the event before it; further
// parents keep other commits reachable. Appending observes, decides and then
// swaps the ref, and starts over if another writer was faster, so that no event is lost
// and every decision was made on the history that it extends.
//
// The package must never rewrite or drop an event, interpret what fields mean,
// or trust a commit's author line: who did something is what a signature in the
// payload proves.
package journal
