// Package gitstore reads and writes a Git repository: objects, refs, history
// and, for a human who has the branch checked out, the worktree.
//
// Reading goes through immutable snapshots of one commit. Writing builds blobs,
// trees and commits in memory; Update makes exactly what the new refs need
// durable, as one synced pack that is protected from garbage collection while
// the refs move, and then moves the refs by Git's own lock protocol, each durable
// before the next. A ref never names an object that could be lost in a power cut.
// All of it goes through Disk, which tests kill at every operation (TestKills) and
// rob of what was not synced (TestPowerCuts, TestEverySyncIsNeeded).
//
// A Repo joins parts that each keep their own state: Place (where it is), Settings,
// Locks, Objects (blobs, trees, commits), History (walks), RefStore (refs and reflogs),
// Revisions (names that people type), Packer (packs to send), Checkouts and Upkeep.
// A part holds the parts that it needs.
//
// It must never write through a worktree or an index, run hooks or filters,
// follow configuration includes, or take a missing object for a missing file.
package gitstore
