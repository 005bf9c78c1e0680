// Package stop decides which capabilities a human has stopped: signed records that take a
// capability out of use everywhere, for a bounded time, without a merge.
//
// A stop only takes away. A record that is unsigned, malformed, expired, of another
// workspace, or signed by a key of no human has no effect, and is named. The package reads
// no files and no clock; records, roles and proposals come in as values.
package stop
