// Package strictyaml reads YAML that a gate has to judge: bounded, without the
// parts of YAML that mean different things to different readers, and with the
// place of everything that it read.
//
// It refuses duplicate keys, second documents, explicit tags, merge keys, deep
// nesting, oversized input and aliases that multiply, and it reports all
// problems of a file rather than the first. Content that is wrong is always a
// diagnostic; nothing here panics, reads files or keeps state.
package strictyaml
