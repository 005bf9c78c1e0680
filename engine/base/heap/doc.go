// Package heap delays the first garbage collection of a process. It is initialised before other
// packages, because their initialisation alone caused a collection that took a fifth of the
// program's start. It restores the usual pace after the first collection, and never overrides
// GOGC.
package heap
