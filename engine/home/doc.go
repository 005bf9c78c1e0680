// Package home keeps small files in one folder of the user, outside all workspaces.
//
// A Store accesses files through os.Root, so neither ".." nor a symbolic link leads out of its
// folder (TestNoEscape). Folders (0700) and files (0600) are private to the user. A file is
// replaced as a whole, and synced before the write counts. A change that depends on the old
// content runs under a lock that ends with its process (TestProcessesTakeTurns).
//
// Its subpackages define the meaning of the files. This package must never interpret a file,
// and never report a damaged or oversized one as missing.
package home
