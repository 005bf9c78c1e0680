package upstream_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/format/upstream"
)

func TestCheckSource(t *testing.T) {
	for _, good := range []string{
		"https://example.org/skills.git", "http://example.org:8080/a/b", "ssh://git@example.org/a.git", "ssh://example.org:22/a", "git://example.org/a",
		"git@example.org:team/skills.git", "example.org:skills", "file:///srv/skills.git", "/srv/skills",
	} {
		if err := upstream.CheckSource(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "skills", "./skills", "../skills", "-oProxyCommand=x", "--upload-pack=x", "ext::sh -c id", "ext::sh%20-c", "fd::17", "example.org::x:y",
		"https://ana:hunter2@example.org/a", "https://token@example.org/a", "ssh://git:hunter2@example.org/a", "http://:hunter2@example.org/a",
		"https://example.org/a?private_token=hunter2", "https://example.org/a#hunter2", "https://example.org/a?", "ftp://example.org/a", "javascript://x/y",
		"https:///a", "file://server/share", "https://exa\nmple.org/a", "https://example.org/\u202ea", "https://example.org/%zz", "https://%68unter2:x@h/a", "-x:y",
		"https://example.org/" + strings.Repeat("a", 2000),
	} {
		err := upstream.CheckSource(bad)
		if err == nil {
			t.Errorf("%q is admitted", bad)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the message repeats the login: %v", bad, err)
		}
	}
}

func TestNear(t *testing.T) {
	for _, near := range []string{
		"/srv/skills", "file:///srv/skills", "http://localhost/a", "https://LOCALHOST./a", "http://127.0.0.1/a", "http://127.1/a", "http://0x7f.1/a", "http://2130706433/a", "http://[::1]/a",
		"http://[::ffff:10.0.0.1]/a", "http://169.254.169.254/latest", "http://10.1.2.3:80/a", "ssh://git@192.168.0.1/a", "git@10.0.0.1:a", "localhost:a", "http://build.internal/a", "http://nas.local/a", "http://0.0.0.0/a",
		"http://100.64.0.5/a", "http://intranet/a", "https://gitlab.corp/a", "http://nas.home.arpa/a",
	} {
		if !upstream.Near(near) {
			t.Errorf("%s passes as a public address", near)
		}
	}
	for source, byKey := range map[string]bool{"ssh://git@example.org/a": true, "git@example.org:a": true, "https://example.org/a": false, "/srv/a": false} {
		if upstream.ByKey(source) != byKey {
			t.Errorf("%s by key: %t", source, !byKey)
		}
	}
	for _, far := range []string{"https://example.org/a", "git@example.org:a", "https://203.0.113.9/a", "ssh://git@example.org/a"} {
		if upstream.Near(far) {
			t.Errorf("%s passes as near", far)
		}
	}
}

func TestParse(t *testing.T) {
	const hash = "8f1c0f6f0c6d4e8b8a1c4c1f6f0c6d4e8b8a1c4c"
	good := "source: https://example.org/a\nref: v1\npath: skills/knot\ncommit: " + hash + "\ntree: " + hash + "\n"
	if _, err := upstream.Parse("upstream.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ from, to, want string }{
		"no source":         {"source: https://example.org/a\n", "", "source"},
		"no tree":           {"tree: " + hash + "\n", "", "tree"},
		"a login":           {"https://", "https://x:y@", ":1: source"},
		"a path upwards":    {"skills/knot", "../knot", ":3: path"},
		"an absolute path":  {"skills/knot", "/etc", ":3: path"},
		"a path to itself":  {"skills/knot", "skills/./knot", ":3: path"},
		"an option as ref":  {"ref: v1", "ref: --upload-pack=x", ":2: ref"},
		"a refspec":         {"ref: v1", "ref: 'v1:refs/heads/main'", ":2: ref"},
		"no hash":           {"commit: " + hash, "commit: HEAD", ":4: commit"},
		"a zero hash":       {"tree: " + hash, "tree: '" + strings.Repeat("0", 40) + "'", ":5: tree"},
		"an unknown key":    {"ref: v1", "run: id", "run"},
		"a key twice":       {"ref: v1", "ref: v1\nref: v2", "ref"},
		"a list":            {"ref: v1", "ref: [v1]", "ref"},
		"another document":  {"ref: v1", "ref: v1\n---\n", "document"},
		"much":              {"ref: v1", "ref: v1 #" + strings.Repeat("x", 20<<10), ""},
		"a control char":    {"skills/knot", `"skills/a\u0000b"`, ""},
		"not text at all":   {good, "\xff\xfe", ""},
		"an alias of a bag": {"ref: v1", "ref: &a [*a]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, tc.from, tc.to, 1)
			r, err := upstream.Parse("upstream.yaml", []byte(text))
			if err == nil {
				t.Fatalf("read as %+v", r)
			}
			if !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "upstream.yaml") {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

// What is written is read back.
func TestFormatParse(t *testing.T) {
	hash := rapid.StringMatching(`[1-9a-f][0-9a-f]{39}`)
	rapid.Check(t, func(t *rapid.T) {
		r := upstream.Record{
			Source: "https://example.org/" + rapid.StringMatching(`[a-z0-9 '"&*!#:{}-]{0,30}`).Draw(t, "source"),
			Ref:    rapid.StringMatching(`[a-z0-9]{0,9}`).Draw(t, "ref"), Path: rapid.StringMatching(`[a-z0-9][a-z0-9 ~:-]{0,9}`).Draw(t, "path"),
			Commit: hash.Draw(t, "commit"), Tree: hash.Draw(t, "tree"),
		}
		if upstream.CheckSource(r.Source) != nil || upstream.CheckRef(r.Ref) != nil {
			t.Skip()
		}
		text, err := upstream.Format(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := upstream.Parse("upstream.yaml", text)
		if err != nil || back != r {
			t.Fatalf("%+v of %+v: %v\n%s", back, r, err, text)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("source: https://example.org/a\ntree: 8f1c0f6f0c6d4e8b8a1c4c1f6f0c6d4e8b8a1c4c\n"))
	f.Add([]byte("source: git@example.org:a\nref: v1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := upstream.Parse("upstream.yaml", text)
		if err != nil {
			return
		}
		if strings.HasPrefix(r.Source, "-") || strings.Contains(r.Source, "::") || strings.Contains("/"+r.Path+"/", "/../") || strings.HasPrefix(r.Ref, "-") {
			t.Errorf("%+v is admitted", r)
		}
	})
}
