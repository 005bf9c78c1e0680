// Package transfer has the commands that bring skills in and hand them out: import and
// export.
package transfer
