// Package scanner scans folders and files anywhere on the disk: it finds the capabilities in and
// below the named paths, reads them, has package scan judge each, and applies the caller's context
// (waivers, an older version to compare with).
//
// It follows no link, opens only regular files, checks sizes before it reads and changes nothing.
// A file that it cannot read is a finding that blocks: nothing passes unread.
package scanner
