// Package maintain keeps a repository small and fast in the background: it folds the
// journals of ended proposals and runs, removes old artifacts of runs, joins small packs and packs loose refs.
//
// Readers see no difference. It may be interrupted at any time and run beside anything.
// It must never remove objects that are not reachable from another ref, and its failure
// must never fail the command it runs after.
package maintain
