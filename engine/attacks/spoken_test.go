package attacks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
)

func spokenDefences() map[string]defence {
	return map[string]defence{"secrets-of-words-stay-here": {attack: "TestAttackSpokenSecrets"}}
}

// TestAttackSpokenSecrets: a page has an agent say or run its secrets, so that they are published as what it lacks.
func TestAttackSpokenSecrets(t *testing.T) {
	secrets := map[string]string{ // a text, and what of it must not stay
		"https://ada:hunter3pw@api.notion.example/v1":                          "hunter3pw",
		"HTTPS://ada:p@ss/w0rd@api.notion.example/v1":                          "w0rd",
		"postgres://admin:hunter2secret@db.example/x":                          "hunter2secret",
		"Authorization: Bearer sk-live-0a1b2c3d4e5f":                           "sk-live",
		"Authorization: Basic Ym9iOnBhc3M5":                                    "Ym9i",
		"the token ghp_0123456789abcdefghijABCDEFGHIJ012345":                   "ghp_01",
		"github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz0123456789Z": "pat_11",
		"AKIA7ZQXLMN2PWRT5VZ4":                                                 "AKIA7",
		"glpat-0123456789abcdefghij":                                           "glpat-0",
		"xoxb-12345678-abcdefghijklmnop":                                       "xoxb-1",
		"gsk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN":               "gsk_0",
		"hvs.CAESIJ0123456789abcdefghij":                                       "hvs.C",
		"AccountKey=abcdefghijklmnop0123456789==":                              "ghijk",
		"123456789:AAabcdefghijklmnopqrstuvwxyz0123456":                        ":AAabc",
		"SK0123456789abcdef0123456789abcdef":                                   "SK0123",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP":                    "eyJhb",
		"password=swordfish99":                                                 "swordfish99",
		`{"api_key": "zq81kkk"}`:                                               "zq81kkk",
		"curl -u bob:pa55word":                                                 "pa55word",
		"--password correcthorse":                                              "correcthorse",
		"mysql -u root -pzebra7seven":                                          "zebra7seven",
		"the password is tr0ub4dor":                                            "tr0ub4dor",
		"npm_0123456789abcdefghijABCDEFGHIJ012345":                             "npm_01",
		"cookie: sid=9f8e7d6c5b":                                               "9f8e7d",
	}
	words := func(text string) gaps.Event { return gaps.Event{Line: 1, Words: text} }
	call := func(input, output string) (out []gaps.Event) {
		for range 4 {
			out = append(out, gaps.Event{Line: 1, Call: &gaps.Call{Tool: "Bash", Input: input, Output: output, Failed: true}})
		}
		return out
	}
	ways := map[string]func(text string) []gaps.Gap{
		"a purpose":    func(s string) []gaps.Gap { return heard(words("I would need a tool for " + s + " here.")) },
		"a place":      func(s string) []gaps.Gap { return heard(words("I would need an MCP for Notion at " + s + ".")) },
		"an absence":   func(s string) []gaps.Gap { return heard(words("There is no way to send letters with " + s + " here.")) },
		"an input":     func(s string) []gaps.Gap { return heard(call("faxer "+s+" letter", "no carrier")...) },
		"an output":    func(s string) []gaps.Gap { return heard(call("faxer letter", "401 unauthorized: "+s)...) },
		"a plan":       func(s string) []gaps.Gap { return []gaps.Gap{gaps.Planned(s, "send letters with "+s, 1)} },
		"an invisible": func(s string) []gaps.Gap { return []gaps.Gap{gaps.Planned("fax", s, 1)} },
	}
	for way, say := range ways {
		for text, secret := range secrets {
			t.Run(way+"/"+secret, func(t *testing.T) {
				if way == "an invisible" {
					text = strings.Replace(text, secret, secret[:3]+"\u200b"+secret[3:], 1)
				}
				found := say(text)
				said, err := json.Marshal(found)
				if err != nil || len(found) == 0 && way != "a purpose" {
					t.Fatal(found, err)
				}
				for _, one := range []string{string(said), trial.Sanitise(text)} {
					if strings.Contains(strings.ToLower(one), strings.ToLower(secret)) {
						t.Errorf(succeeded+"%s", one)
					}
				}
			})
		}
	}
}

func heard(events ...gaps.Event) []gaps.Gap {
	h := gaps.New(gaps.Rules{})
	for _, e := range events {
		h.Hear(e)
	}
	return h.Gaps()
}
