// Package heap decides when a process looks through its memory for the first time:
// late. It begins before the other packages do, because what they set up took a
// collection of its own, a fifth of the start of the program. It never keeps memory
// longer than until that first collection, and never overrules GOGC.
package heap
