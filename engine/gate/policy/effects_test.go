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
	for known, texts := range map[string][]string{
		"files":      {"deletes documents", "removes a document"},
		"messages":   {"sends a text to the customer", "texts the customer", "posts a comment", "comments on the issue", "mailed to the customer", "mail the report"},
		"network":    {"fetches a page", "downloads a page", "crawls pages"},
		"production": {"redeploys the site", "rolls out the new site", "rolls the new site out", "goes live", "go live", "releases it to customers", "released the build to all users", "takes the site live"},
		"money": {
			"transfers funds to a supplier", "transfers an amount", "bought tickets", "bills the customer", "bill the customer", "billed monthly", "debits the account", "charge the card", "subscribes to a plan",
			"orders parts", "orders the rows", "order a part", "ordered the goods", "places an order", "repays the loan", "adds a surcharge", "reimburses the guest", "books a flight", "sells the shares", "prepaid by the team",
		},
		"": {
			"keeps a text in memory", "sorts by price", "sorts in order of size", "waits in order to be fair", "reads the text of a poem", "builds a release", "post-processes the rows", "checks out a branch", "rolls a die",
			"comments out a line", "lives in memory", "goes on until it is done", "measures the surface", "refers to a booking", "transfers control", "makes a subset", "makes it live in memory", "goes where people live",
		},
	} {
		for _, text := range texts {
			if got := strings.Join(policy.Effects([]string{text})[1:], " "); got != known {
				t.Errorf("%q is understood as %q, want %q", text, got, known)
			}
		}
	}
	if got := policy.Effects([]string{"pays the bills", "money"}); !slices.Equal(got, []string{"pays the bills", "money"}) {
		t.Errorf("a word stands twice: %q", got)
	}
}
