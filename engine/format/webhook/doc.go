// Package webhook tells deliveries of GitHub, Gitea and Forgejo from forgeries and
// from repetitions. A delivery is checked over its raw bytes, and nothing in it is
// ever parsed: that it came is all that it says.
//
// It keeps no secret and opens no connection; headers and body come in as values. It
// accepts no signature but HMAC-SHA256, and none that it did not compare in constant
// time.
package webhook
