// Package tempdir makes folders for temporary files, and removes those that killed processes left.
//
// A folder's name has the process that made it. One goes only if that process has ended and no process has touched the
// folder for longer than any use takes, since processes of other containers cannot be seen.
package tempdir
