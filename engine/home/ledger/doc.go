// Package ledger keeps account of what running capabilities uses up: executions and
// cost by session, and when each capability was last started. It is one file for each
// workspace in the user's own folder, changed under a lock, so that processes that
// run side by side share one account.
//
// What a call may cost is taken before it starts, and given back never: whatever
// dies in between has paid. The package decides nothing but whether something still
// fits the caps that its caller gives. A damaged file is an error and not an
// empty account.
package ledger
