// Package memory reads what the memory graph is derived from: capabilities, souls and merged proposals
// in force, journals of runs, and trials; and from trials, how the capabilities of a proposal did.
// It writes nothing, and decides nothing.
package memory
