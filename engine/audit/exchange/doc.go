// Package exchange brings together what this clone and a remote know: pull takes
// in what others pushed, push publishes what the remote lacks, and where both went
// on, what happened here follows what happened there.
//
// It moves commits and events and decides nothing about them: what arrives is
// judged by every reader, as ever. It must never move main anywhere but forward,
// drop an event, or bring anything into force.
package exchange
