package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

func TestEffects(t *testing.T) {
	for text, known := range map[string]string{
		"network":                          "",
		"creates a cron entry":             "",
		"nothing that is known":            "",
		"filed under F":                    "",
		"Network":                          "network",
		"send-money":                       "money",
		"charges the customer's card":      "money",
		"the payload is kept":              "",
		"P a y s the invoice":              "money",
		"pаys the invоice":                 "money", // with Cyrillic letters
		"DEPLOYS the web site":             "network production",
		"writes a file":                    "files",
		"sends e-mails, and writes a file": "files messages",
	} {
		got := policy.Effects([]string{text})
		if got[0] != text || strings.Join(got[1:], " ") != known {
			t.Errorf("%q is understood as %q, want %s", text, got[1:], known)
		}
	}
	if got := policy.Effects([]string{"pays the bills", "money"}); !slices.Equal(got, []string{"pays the bills", "money"}) {
		t.Errorf("a word stands twice: %q", got)
	}
}
