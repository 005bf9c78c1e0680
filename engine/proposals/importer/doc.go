// Package importer brings folders of skills that others wrote into a workspace, as
// proposals: it finds them, fits each into the format, compares it with what is in
// force and what is proposed already, and opens what is new.
//
// It is idempotent: importing the same folders again proposes nothing again, so
// that an import that was interrupted goes on where it stopped. It reads the
// folders without following links, never writes to them or to a worktree, and
// never merges. What cannot be imported is told with a reason and what to do, and
// keeps nothing else from being imported.
package importer
