// Package calls records what the sessions of this machine spend on calls of capabilities, and which
// calls failed.
//
// A Ledger holds executions and cost by session, and recent starts by capability. The cost
// of a call is charged before it starts and never refunded: a process that dies during the
// call has paid. Failures holds the input of failed calls, so that one of them can become
// a case of the capability's tests; callers remove secrets first.
//
// All are files for one workspace in the user's own folder. They are changed under a lock and
// synced before a change counts, so processes share them and a killed process loses
// nothing that it recorded. They never leave this machine. A damaged file is an error, not
// an empty record.
package calls
