package asked_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/format/asked"
)

// A file names exactly one who can be asked, and nothing that a question must not go to.
func TestParse(t *testing.T) {
	for src, want := range map[string]string{
		"command: [/bin/ask, -v]\n":      "",
		`command: ['C:\ask.exe']` + "\n": "",
		"url: https://m.example/v1\nmodel: m\nkey_file: /k\ntimeout: 10m\nworkspaces: [a]\n": "",
		"url: http://127.0.0.1:1/v1\nmodel: m\n":                                             "",
		"url: http://[::1]/v1\nmodel: m\n":                                                   "",
		"url: http://localhost/v1\nmodel: m\n":                                               "",
		"{}\n":                                                                               "either a command or a url",
		"command: [/a]\nurl: https://x\nmodel: m\n":                                          "either a command or a url",
		"command: [ask]\n":                                                                   "is not an absolute path",
		"command: [./ask]\n":                                                                 "is not an absolute path",
		"command: [/a]\nmodel: m\n":                                                          "a command has no model",
		"command: [/a]\nkey_file: /k\n":                                                      "a command has no model and no key",
		"url: http://m.example/v1\nmodel: m\n":                                               "is no address",
		"url: http://127.0.0.1.m.example\nmodel: m\n":                                        "is no address",
		"url: https://u:p@m.example\nmodel: m\n":                                             "is no address",
		"url: https://m.example/?key=1\nmodel: m\n":                                          "is no address",
		"url: file:///etc/passwd\nmodel: m\n":                                                "is no address",
		"url: https://\nmodel: m\n":                                                          "is no address",
		"url: https://m.example\n":                                                           "a url has no model",
		"url: https://m.example\nmodel: m\nkey_file: k\n":                                    "is not an absolute path",
		"command: [/a]\ntimeout: 11m\n":                                                      "is too long",
		"command: [/a]\nshell: true\n":                                                       "shell",
	} {
		_, found := asked.Parse(asked.OpinionFile, []byte(src))
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
	parse := func(file, src string) asked.Config {
		c, found := asked.Parse(file, []byte(src))
		if found.HasErrors() {
			t.Fatal(found)
		}
		return c
	}
	program := parse(asked.OpinionFile, "command: [/home/ada/bin/second-look, --secret]\nworkspaces: [w]\n")
	if program.Asked() != "second-look" || !program.For("w") || program.For("v") || program.Timeout != time.Minute {
		t.Errorf("%q, %v, %v, %s", program.Asked(), program.For("w"), program.For("v"), program.Timeout)
	}
	if c := parse(asked.OpinionFile, `command: ['C:\Users\ada\look.exe']`+"\n"); c.Asked() != "look.exe" || !c.For("any") {
		t.Error(c.Asked())
	}
	if c := parse(asked.DrafterFile, "url: https://m.example/v1/private\nmodel: \"m\\nn\"\n"); strings.ContainsAny(c.Asked(), "\n/") || !strings.HasSuffix(c.Asked(), " at m.example") || c.Timeout != 5*time.Minute {
		t.Errorf("%q, %s", c.Asked(), c.Timeout)
	}
}

// An answer is one value of the form that was asked for, and nothing else.
func TestRead(t *testing.T) {
	type answer struct {
		Verdict string `json:"verdict"`
	}
	for text, want := range map[string]string{
		`{"verdict":"pass"}`:                     "",
		" {\"verdict\":\"pass\"} \n":             "",
		`{"verdict":"pass","waive":1}`:           "not what was asked for",
		`{"verdict":"pass"} {"verdict":"block"}`: "something stands behind it",
		`{"verdict":"pass"}]`:                    "something stands behind it",
		`{"verdict":`:                            "not what was asked for",
		``:                                       "not what was asked for",
		`{"verdict":"` + strings.Repeat("x", 90) + `"}`: "more than 50 bytes",
	} {
		var a answer
		err := asked.Read([]byte(text), 50, &a)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
