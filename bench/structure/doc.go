// Command structure counts what makes a tree of Go hard to enter: rooms and packages, lines,
// types with many methods, and facts that several types copy.
//
//	go run ./bench/structure [-json] [LABEL=DIR...]
//	go run ./bench/structure -copies             list the structs that hold the same fact
//	go run ./bench/structure -write docs/benchmarks.md LABEL=DIR...     put the tables there
//
// DIR is the root of a module: this one unless others are named, which stand side by side. Only
// text is read, so that a tree of any age can be counted.
package main
