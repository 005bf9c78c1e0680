package advice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/format/advice"
)

// TestParse: a file names exactly one program or model, at a permitted address.
func TestParse(t *testing.T) {
	for src, want := range map[string]string{
		"command: [/bin/ask, -v]\n":      "",
		`command: ['C:\ask.exe']` + "\n": "",
		"url: https://m.example/v1\nmodel: m\nkey_file: /k\ntimeout: 10m\nworkspaces: [a]\n": "",
		"url: http://127.0.0.1:1/v1\nmodel: m\n":                                             "",
		"url: http://[::1]/v1\nmodel: m\n":                                                   "",
		"url: http://localhost/v1\nmodel: m\n":                                               "",
		"{}\n":                                                                               "either command or url",
		"command: [/a]\nurl: https://x\nmodel: m\n":                                          "either command or url",
		"command: [ask]\n":                                                                   "is not an absolute path",
		"command: [./ask]\n":                                                                 "is not an absolute path",
		"command: [/a]\nmodel: m\n":                                                          "a command takes no model",
		"command: [/a]\nkey_file: /k\n":                                                      "a command takes no model and no key_file",
		"url: http://m.example/v1\nmodel: m\n":                                               "must not be sent to",
		"url: http://127.0.0.1.m.example\nmodel: m\n":                                        "must not be sent to",
		"url: https://u:p@m.example\nmodel: m\n":                                             "must not be sent to",
		"url: https://m.example/?key=1\nmodel: m\n":                                          "must not be sent to",
		"url: file:///etc/passwd\nmodel: m\n":                                                "must not be sent to",
		"url: https://\nmodel: m\n":                                                          "must not be sent to",
		"url: https://m.example\n":                                                           "url needs a model",
		"url: https://m.example\nmodel: m\nkey_file: k\n":                                    "is not an absolute path",
		"command: [/a]\ntimeout: 11m\n":                                                      "out of range",
		"command: [/a]\nshell: true\n":                                                       "shell",
	} {
		_, found := advice.Parse(advice.OpinionFile, []byte(src))
		said := ""
		for _, d := range found {
			said += d.Message
		}
		if found.HasErrors() != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%q: %v, want %q", src, found, want)
		}
	}
}

func TestConfig(t *testing.T) {
	parse := func(file, src string) advice.Config {
		c, found := advice.Parse(file, []byte(src))
		if found.HasErrors() {
			t.Fatal(found)
		}
		return c
	}
	program := parse(advice.OpinionFile, "command: [/home/ada/bin/second-look, --secret]\nworkspaces: [w]\n")
	if program.Asked() != "second-look" || !program.For("w") || program.For("v") || program.Timeout != time.Minute {
		t.Errorf("%q, %v, %v, %s", program.Asked(), program.For("w"), program.For("v"), program.Timeout)
	}
	if c := parse(advice.OpinionFile, `command: ['C:\Users\ada\look.exe']`+"\n"); c.Asked() != "look.exe" || !c.For("any") {
		t.Error(c.Asked())
	}
	if c := parse(advice.DrafterFile, "url: https://m.example/v1/private\nmodel: \"m\\nn\"\n"); strings.ContainsAny(c.Asked(), "\n/") || !strings.HasSuffix(c.Asked(), " at m.example") || c.Timeout != 5*time.Minute {
		t.Errorf("%q, %s", c.Asked(), c.Timeout)
	}
}

// TestRead: an answer is exactly one value of the requested form.
func TestRead(t *testing.T) {
	type answer struct {
		Verdict string `json:"verdict"`
	}
	for text, want := range map[string]string{
		`{"verdict":"pass"}`:                     "",
		" {\"verdict\":\"pass\"} \n":             "",
		`{"verdict":"pass","waive":1}`:           "does not have the requested form",
		`{"verdict":"pass"} {"verdict":"block"}`: "text follows it",
		`{"verdict":"pass"}]`:                    "text follows it",
		`{"verdict":`:                            "does not have the requested form",
		``:                                       "does not have the requested form",
		`{"verdict":"` + strings.Repeat("x", 90) + `"}`: "more than 50 bytes",
	} {
		var a answer
		err := advice.Read([]byte(text), 50, &a)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
