// Package gitstore reads and writes a Git repository: objects, refs, history and, for a
// checked-out branch, the worktree.
//
// Reads use immutable snapshots of one commit. Writes build blobs, trees and commits in memory.
// Update then writes exactly the objects that the new refs need as one synced pack, protected
// from garbage collection while the refs move. It moves the refs by Git's own lock protocol,
// each durable before the next. A ref never names an object that a power cut could lose. All
// changes go through Disk; tests kill it at every operation (TestKills) and drop unsynced data
// (TestPowerCuts, TestEverySyncIsNeeded).
//
// A Repo joins parts that each have their own state: Place (location), Settings, Locks, Objects
// (blobs, trees, commits), History (walks), RefStore (refs and reflogs), Revisions (names that
// users type), Packer (packs to send), Checkouts and Upkeep. A part holds the parts that it
// needs.
//
// It must never write through a worktree or an index, run hooks or filters, follow
// configuration includes, or report a missing object as a missing file.
package gitstore
