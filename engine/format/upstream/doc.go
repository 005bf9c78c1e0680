// Package upstream holds the record of where an imported skill came from: the file upstream.yaml
// in the capability's folder. It is content like any other: proposed, reviewed and merged.
//
// It only examines text. It must never reach for a source, and a record never holds a login.
package upstream
