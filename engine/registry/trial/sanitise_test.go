package trial

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestSanitise: what looks like a secret, a home, or nothing on a screen is not kept.
func TestSanitise(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"plain words", "the table has 3 rows in docs/adr/0036-rooms.md", "the table has 3 rows in docs/adr/0036-rooms.md"},
		{"lines and colours", "a\r\n\tb\x1b[31mc\u202ed\u200b", "a bcd"},
		{"a home on Linux", "open /home/ana/data/x.csv", "open ~/data/x.csv"},
		{"a home on macOS", "open '/Users/ana/x y.csv'", "open '~/x y.csv'"},
		{"a home on Windows", `open C:\Users\Ana\x.csv`, `open ~\x.csv`},
		{"root's home", "read /root/.ssh/config and /rooted", "read ~/.ssh/config and /rooted"},
		{"a named home", "read /srv/agents/kublai/notes", "read ~/notes"},
		{"a password", "login with password=hunter2 failed", "login with password=[secret] failed"},
		{"in JSON", `{"api_key": "abc def", "x": 1}`, `{"api_key": [secret], "x": 1}`},
		{"a header", "Authorization: Bearer abcdefgh12345", "Authorization: [secret]"},
		{"a bare header", "sent bearer 0123456789", "sent bearer [secret]"},
		{"words about tokens", "unexpected token undefined in basic functionality", "unexpected token undefined in basic functionality"},
		{"a login in an address", "push to https://ana:pw@example.org/x.git", "push to https://[secret]@example.org/x.git"},
		{"a token of GitHub", "used ghp_0123456789abcdefghijABCDEFGHIJ012345", "used [secret]"},
		{"a key of AWS", "id AKIAIOSFODNN7EXAMPLE", "id [secret]"},
		{"a web token", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP", "got [secret]"},
		{"a private key", "x -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY----- y", "x [secret] y"},
		{"half a private key", "x -----BEGIN RSA PRIVATE KEY-----\nb3BlbnNzaC1r", "x [secret]"},
		{"of no known form", "id f3a9c1d07b5e48f2a6c0d9e1 and q7Zp2LmX9vRt4KsW8bNc1YdH", "id [secret] and [secret]"},
		{"a long name", "of kublai-the-long-named-agent-number-12 it is", "of kublai-the-long-named-agent-number-12 it is"},
		{"bad UTF-8", "a\xffb", "ab"},
	} {
		if got := Sanitise(tc.text, "/srv/agents/kublai"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestSanitiseBounds: whatever comes in, what comes out is one short line that a record may hold, also a second time.
func TestSanitiseBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat(rapid.StringN(0, 30, -1).Draw(t, "again"), rapid.IntRange(0, 40).Draw(t, "times"))
		once := Sanitise(text)
		if utf8.RuneCountInString(once) > MaxSummary || strings.ContainsFunc(once, unicode.IsControl) || !utf8.ValidString(once) {
			t.Fatalf("%q", once)
		}
		o := good().Observation
		o.Diagnosis = once
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSecretsNeverStay checks that a key is removed at any place in a text.
func TestSecretsNeverStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SampledFrom([]string{
			"ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAIOSFODNN7EXAMPLE", "sk-proj-q7Zp2LmX9vRt4KsW8bNc1YdH",
			"xoxb-12345678-abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP",
		}).Draw(t, "secret")
		before, after := rapid.StringMatching(`[a-z ,:"(]{0,250}`).Draw(t, "before"), rapid.StringMatching(`[ ,:")][a-z ]{0,50}`).Draw(t, "after")
		got := Sanitise(before + " " + secret + after)
		if strings.Contains(got, secret[:12]) {
			t.Fatalf("%q", got)
		}
	})
}

// TestSummaries: a policy without summaries keeps no text at all.
func TestSummaries(t *testing.T) {
	o := good().Observation
	o.InputSummary, o.OutputSummary = "password=hunter2", "fine"
	if kept := o.Summarised(false); kept.Task == "" || kept.Diagnosis == "" || kept.InputSummary != "password=[secret]" || kept.OutputSummary != "fine" {
		t.Errorf("%+v", kept)
	}
	if none := o.Summarised(true); none.Task+none.Diagnosis+none.InputSummary+none.OutputSummary != "" || none.Capability != o.Capability {
		t.Errorf("%+v", none)
	}
}

// TestMaskedOnce: a masked text is not masked further, whatever quotes the secret and follows it.
func TestMaskedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"password", "token", "--password", "-u", "=", ": ", " ", "\"", "'", "`", "hunter2", "abc", ".", ",", ")", "(", "and", "Authorization", "Bearer ", "https://ada:", "@host", "curl", "mysql -p", Secret})
		text := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "parts"), "")
		if once := Masked(text); Masked(once) != once {
			t.Errorf("%q becomes %q and then %q", text, once, Masked(once))
		}
	})
	for _, text := range []string{`logs in with password="hunter2".`, `(token: "abc")`, `token='x') and`, `--password "abc".`} {
		if once := Masked(text); once == text || Masked(once) != once {
			t.Errorf("%q becomes %q and then %q", text, once, Masked(once))
		}
	}
}

// TestMaskedForms: secrets of known forms are masked, also between control sequences of a terminal, and what only resembles
// them stays.
func TestMaskedForms(t *testing.T) {
	for _, text := range []string{
		"\x1b[1mpassword\x1b[0m: hunter2aa", "\x1b(Btoken\x1b(B: hunter2aa", "pass\x1b(Bword=hunter2aa", "\x1b]8;;http://x\x07pass\x1b]8;;\x1b\\word=hunter2aa",
		"Server=db;Pwd=hunter2aa;", "docker login -u me -p hunter2aa ghcr.io", "Cookie: a=b; sid=hunter2aa", "sqlcmd -U sa -P hunter2aa", "ldapsearch -D cn=me -w hunter2aa",
		"open //me:hunter2aa@host/x", "get https://h.example/a?key=hunter2aa", "get /a?x=1&auth=hunter2aa",
	} {
		for name, got := range map[string]string{"Unsecret": Unsecret(text), "Sanitise": Sanitise(text)} {
			if strings.Contains(got, "hunter2aa") || strings.ContainsRune(got, 0x1b) {
				t.Errorf("%s of %q: %q", name, text, got)
			}
		}
	}
	for _, text := range []string{"the pwd command prints /srv/app", "cookies are eaten", "see https://h.example/a?page=2", "log in with -p for ports", "a // comment with me@host"} {
		if got := Unsecret(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
