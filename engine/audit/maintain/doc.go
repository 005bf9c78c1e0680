// Package maintain keeps a repository small and quick without anybody noticing:
// it folds the journals of proposals that ended, and has small packs joined and
// loose refs packed.
//
// It does nothing that a reader could tell, may be killed at any time, and may run
// beside anything. It must never remove what a ref does not keep reachable in
// another way, and its failure must never be the failure of what it runs after.
package maintain
