// Package archive is the file of a whole registry: the capabilities in force, and the newest trials.
//
// It is lines of JSON in one form and one order, so that the same registry has the same bytes. Read
// trusts no file: everything is bounded, paths are plain and below skills/, each is there once, and
// there is nothing but regular files. What an archive says has no effect by itself.
package archive
