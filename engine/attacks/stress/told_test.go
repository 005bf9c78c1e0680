package stress_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
)

// The reasons why a command that was not killed may fail while others work on the same things.
// Each is a sentence that its user can act on.
var told = map[string]*regexp.Regexp{
	"stale":      regexp.MustCompile(`moved: expected .*, found`),
	"locked":     regexp.MustCompile(`is held by another process`),
	"contended":  regexp.MustCompile(`others were faster \d+ times`),
	"closed":     regexp.MustCompile(`is closed|was (withdrawn|rejected)`),
	"merged":     regexp.MustCompile(`is merged|already merged`),
	"gate":       regexp.MustCompile(`does not merge: (waiting|refused|main changed|the merge would)`),
	"not merged": regexp.MustCompile(`is not merged, so there is nothing to undo`),
	"taken back": regexp.MustCompile(`undo-changed-since`),
	"findings":   regexp.MustCompile(`cannot be approved: validation failed`),
	"undone":     regexp.MustCompile(`nothing is left of \S+: its files are as they were before`),
	"again":      regexp.MustCompile(`proposal-again`),
	"no change":  regexp.MustCompile(`change-empty`),
	"conflict":   regexp.MustCompile(`rebase-conflict|conflicts with main`),
}

// reason returns the key of the allowed sentence that a command ended with; empty if it is not
// allowed.
func reason(o outcome) string {
	for _, why := range slices.Sorted(maps.Keys(told)) {
		if told[why].MatchString(o.stderr) {
			return why
		}
	}
	var refused struct {
		State   string
		Reasons []string
	}
	if json.Unmarshal([]byte(o.stdout), &refused) == nil && refused.State == "refused" {
		return cmp.Or(append(refused.Reasons, "refused")...)
	}
	return ""
}
