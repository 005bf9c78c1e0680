// Package triallog keeps trials: one journal for each installation, below
// refs/assent/trials/ of the repository, signed with the installation's own key.
//
// An installation is Git's common folder of a clone: its worktrees and processes share one
// journal and take turns. A trial is acknowledged when a file in that folder is synced;
// batches of such trials become commits (TestKilled). A commit adds the records of one day,
// and their sums to the counts of the month, so that reading sums reads no record.
//
// If the policies name a database as store, the records go there, and the journal gets signed roll-ups: the sums
// and the evidence of each day, with the digests of its rows (database.go, spool.go). Counts and health rest on the
// journal and on what waits here; a row is read only if it is the one that was signed.
//
// A journal of another installation counts if its newest commit is signed, for this workspace,
// with the key whose digest is the journal's name. Pull takes only journals that continue the
// local ones, and whose counts are the sums of their records. Others are named and skipped, and
// block no other journal. Of installations that the policies do not list, a bounded part is read
// (strangers.go).
//
// The package must never trust a commit's author or date, and never change a journal of another
// installation.
package triallog
