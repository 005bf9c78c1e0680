// Package strictyaml reads YAML that a gate judges: bounded, without the parts of YAML that
// readers interpret differently, and with the position of every value.
//
// It refuses duplicate keys, further documents, explicit tags, merge keys, deep nesting,
// oversized input and aliases that multiply, and it reports all problems of a file, not only
// the first. Invalid content is always a diagnostic. The package does not panic, read files or
// keep state.
package strictyaml
