// Package archive lists the capabilities that merged proposals archived and that are not in force,
// with their folders as they were in force last.
//
// It has no storage of its own: the records are the merged proposals in the tree in force, and the
// folders are those of the merge's first parent. It restores nothing.
package archive
