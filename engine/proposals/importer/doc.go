// Package importer brings folders of skills by others into a workspace, as proposals: it finds
// them, adapts each to the format, compares it with the content in force and in open proposals,
// and proposes the new ones.
//
// It is idempotent: importing the same folders again proposes nothing again, so an interrupted
// import continues where it stopped. It reads the folders without following links, never writes to
// them or to a worktree, and never merges. A folder that cannot be imported is reported with
// reason and remedy, and blocks no other.
package importer
