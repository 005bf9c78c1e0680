// Package exchange synchronizes this clone with a remote: pull imports the changes of
// others, push publishes what the remote lacks. If both sides have new events, the local
// ones are replayed after the remote's.
//
// It moves commits and events and decides nothing about them: every reader judges the
// imported ones as usual. It must never move main other than forward, drop an event, or
// bring anything into force.
package exchange
