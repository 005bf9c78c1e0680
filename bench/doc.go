// Command bench measures what assent exists for, each operation beside a peer that
// does the same in the same run, and writes docs/benchmarks.md.
//
//	go run ./bench                              all of it; takes a while, and some GB of disk
//	go run ./bench -row 1,4                     some rows
//	go run ./bench -quick                       small sizes: that it runs, in about a minute
//	go run ./bench -write docs/benchmarks.md    put the table there
//	go run ./bench -clean                       remove the workspaces that are kept
//
// A goal is a ratio in one run on one machine. A row that misses its goal is no
// failure: the exit code only says whether all could be measured.
package main
