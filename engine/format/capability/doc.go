// Package capability reads and judges the folders below skills/: SKILL.md,
// capability.yaml and tests.yaml, one capability at a time and all of them
// together, and makes new ones from templates or from other people's folders.
//
// It is strict with what stands in a workspace and lenient with what others
// wrote, and never changes a content file. It must never run a capability's
// code, resolve a schema from outside the file it stands in, or decide whether
// a change may merge.
package capability
