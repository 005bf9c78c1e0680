package scan

import "strings"

// isPlaceholder reports whether key was written for a reader to replace.
func isPlaceholder(key string) bool {
	lower := strings.ToLower(key)
	return containsAny(lower, "xxx", "example", "your", "placeholder", "changeme", "change-me", "change_me", "dummy", "fake", "sample", "redacted", "insert", "replace", "secret_key",
		"test", "...", "***", "000000", "123456", "abcdef", "aaaa", "1111", "here", "todo", "mypassword", "my-", "my_", "<", "{", "process.env", "environ")
}
