package policy

// MatchPath reports whether a path matches a pattern as the policies write them:
// '*' within a segment, '**' for any number of whole segments.
func MatchPath(pattern, name string) bool { return globMatch(pattern, name) }

// CheckPattern returns why a pattern is unusable, or nil.
func CheckPattern(pattern string) error { return checkGlob(pattern) }
