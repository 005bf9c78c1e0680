// Package home keeps small files in one folder of the user's own, beside all workspaces.
//
// A Store reaches files through os.Root, so that neither ".." nor a symbolic link leads out
// of its folder (TestNoEscape). Folders are private to the user (0700), files as well (0600).
// A file is replaced as a whole and synced before the write counts; a change that depends on
// the old content runs under a lock that ends with its process (TestProcessesTakeTurns).
//
// The packages below say what the files mean. This one must never interpret a file, and
// never report a damaged or oversized one as missing.
package home
