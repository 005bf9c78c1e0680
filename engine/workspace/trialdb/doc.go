// Package trialdb keeps the rows of trials in PostgreSQL, or in a server that speaks its protocol.
//
// Each workspace has a schema of its own, with a table of records that is partitioned by day. A row is a
// record of a trial as its installation wrote it, without a signature: package triallog reads only rows whose
// digest a signed roll-up has. So the package must never decide what a row is worth.
//
// A connection lives as long as one command needs it. A server that was replaced is found again by the
// connection string, which may name several hosts.
package trialdb
