// Package scanner scans folders and files wherever they lie: it finds the
// capabilities in and below the paths that the user named, reads them, has
// package scan judge each, and applies what the caller knows (waivers, an older
// version to compare with).
//
// It follows no link, opens nothing but regular files, looks at sizes before it
// reads and changes nothing. What it cannot read, it reports as a finding that
// blocks: nothing passes unread.
package scanner
