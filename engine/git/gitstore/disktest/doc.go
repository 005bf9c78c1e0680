// Package disktest runs a repository on a disk that dies, fails or loses power at any chosen
// operation, and reports the source lines of the operations.
//
// A kill differs from a power cut. After a kill, every earlier operation has happened, in
// order, and no later one has (Disk.DieAt). After a power cut, only synced data is certain: a
// file's content by File.Sync, its name by Disk.SyncDir. Any combination of the rest may exist
// (Cut). The package is for tests only.
package disktest
