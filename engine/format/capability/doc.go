// Package capability reads and checks the folders below skills/: SKILL.md,
// capability.yaml and tests.yaml, one capability at a time and all together. It also
// creates capabilities from templates and from foreign skill folders.
//
// It is strict about files of a workspace and lenient about foreign ones, and never
// changes a content file. It must never run a capability's code, resolve a schema from
// outside its file, or decide whether a change may merge.
package capability
