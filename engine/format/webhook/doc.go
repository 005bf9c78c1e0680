// Package webhook distinguishes genuine deliveries of GitHub, Gitea and Forgejo from
// forged and repeated ones. It checks the raw bytes of a delivery and never parses them:
// the arrival is the only information used.
//
// It stores no secret and opens no connection; headers and body are arguments. It accepts
// only HMAC-SHA256 signatures, and compares them in constant time.
package webhook
