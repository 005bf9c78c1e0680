// Package disktest puts a disk under a repository that dies, fails or loses power
// at any single operation, and says which operations of the source code were hit.
//
// A kill is not a power cut. After a kill everything that was done is there, in
// order, and everything that was to come is not (Disk.DieAt). After a power cut
// only what was synced is sure: a file's content by File.Sync, its name by
// Disk.SyncDir; anything else may be there or not, in any combination
// (Disk.Cut). It is for tests only.
package disktest
