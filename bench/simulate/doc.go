// Command simulate measures how well utility (engine/registry/trial) finds capabilities that harm or do
// not help, in simulated missions:
//
//	go run ./bench/simulate                 # prints the tables
//	go run ./bench/simulate -write docs/benchmarks.md
//
// The same seeds give the same tables on every machine.
package main
