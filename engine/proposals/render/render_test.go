package render

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/scan"
)

// hostile is text that tries to get out of each sink.
func hostile() []string {
	return []string{
		"plain", "::error file=x::owned", "a\n::set-output name=x::y", "a\r\n::stop-commands::t", "50% off, 100%25: yes",
		"@torvalds look", "`@torvalds`", "``` @org/team ```", "`` ` ``", "<script>alert(1)</script>", "<!-- x", "![x](http://evil.example/p.png)",
		"[click](javascript:alert(1))", "http://evil.example www.evil.example me@evil.example", "#1 GH-2 org/repo#3",
		"\x1b[2J\x1b]0;title\x07", "\u202egnp.exe", "zero\u200bwidth", "\xff\xfe broken", "tab\tand\u2028line", "", " ", "`", "a`", "|table|", "*x* _y_ ~~z~~",
		"\U000e0041tag", strings.Repeat("`", 30), "\\`", "a\x00b",
	}
}

func reportOf(texts ...string) validate.Report {
	r := validate.Report{V: validate.ReportVersion, Engine: "assent test"}
	for i, s := range texts {
		r.Diagnostics.Add(diag.Diagnostic{
			Pos: diag.Pos{File: s, Line: i, Column: i / 2}, Rule: "rule-" + s, Severity: diag.Severity(i % 3),
			Message: s, Evidence: s, Fix: s,
		})
	}
	return r
}

func drawReport(t *rapid.T) validate.Report {
	piece := rapid.OneOf(rapid.SampledFrom(hostile()), rapid.String())
	return reportOf(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return piece.Draw(t, "a") + piece.Draw(t, "b") }), 1, 4).Draw(t, "texts")...)
}

func render(t interface{ Fatal(...any) }, format string, r validate.Report) string {
	out, err := Report(format, r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestReport(t *testing.T) {
	r := validate.Report{V: validate.ReportVersion, Engine: "assent test"}
	r.Diagnostics.Warnf("soul-removed", diag.Pos{File: "soul/a/SOUL.md"}, "keep it", "the identity of agent a is removed")
	r.Diagnostics.Errorf("path-name", diag.Pos{File: "skills/x/a:b,c", Line: 3, Column: 7}, "", "no ':' in names")
	r.Diagnostics.Notef("note", diag.Pos{}, "", "nothing else")
	for format, want := range map[string]string{
		FormatText: `note: nothing else [note]
skills/x/a:b,c:3:7: error: no ':' in names [path-name]
soul/a/SOUL.md: warning: the identity of agent a is removed [soul-removed]
    fix: keep it
validation failed: 1 error, 1 warning, 1 note
`,
		FormatGitHub: `::notice title=note::nothing else
::error file=skills/x/a%3Ab%2Cc,line=3,col=7,title=path-name::no ':' in names
::warning file=soul/a/SOUL.md,title=soul-removed::the identity of agent a is removed%0Afix: keep it
validation failed: 1 error, 1 warning, 1 note
`,
		FormatMarkdown: "**validation failed: 1 error, 1 warning, 1 note**\n" +
			"\n- **note** `nothing else` (`note`)\n" +
			"\n- **error** `skills/x/a:b,c:3:7` `no ':' in names` (`path-name`)\n" +
			"\n- **warning** `soul/a/SOUL.md` `the identity of agent a is removed` (`soul-removed`)\n  - fix: `keep it`\n",
	} {
		if diff := cmp.Diff(want, render(t, format, r)); diff != "" {
			t.Errorf("%s: -want +have:\n%s", format, diff)
		}
	}
	canonical, err := r.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	if len(render(t, FormatJSON, r)) != len(canonical) {
		t.Error("json is not the canonical form")
	}
	if _, err := Report("xml", r); err == nil || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("unknown format: %v", err)
	}
}

// For any report the bytes are the same each time, in any order of its findings.
func TestReportIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		other := r
		other.Diagnostics = rapid.Permutation(r.Diagnostics).Draw(t, "order")
		for _, f := range Formats() {
			if diff := cmp.Diff(render(t, f, r), render(t, f, other)); diff != "" {
				t.Errorf("%s: %s", f, diff)
			}
		}
	})
}

// Nothing that a terminal, editor or browser obeys leaves in any form.
func TestNoControlCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		for _, f := range []string{FormatText, FormatGitHub, FormatMarkdown, FormatSARIF} {
			for _, c := range render(t, f, r) {
				if c != '\n' && (c < ' ' || c >= 0x7f && c < 0xa0) || strings.ContainsRune("\u200b\u202a\u202e\u2028\u2066\ufeff\U000e0041", c) {
					t.Fatalf("%s lets %U through", f, c)
				}
			}
		}
	})
}

// Each line of the GitHub form is one command of ours or the count.
func TestGitHubCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		lines := strings.Split(strings.TrimSuffix(render(t, FormatGitHub, r), "\n"), "\n")
		if len(lines) != len(r.Diagnostics)+1 {
			t.Fatalf("%d lines for %d findings: %q", len(lines), len(r.Diagnostics), lines)
		}
		for _, line := range lines[:len(lines)-1] {
			head, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
			command, props, _ := strings.Cut(head, " ")
			if !ok || command != "error" && command != "warning" && command != "notice" {
				t.Fatalf("not a command of ours: %q", line)
			}
			for _, p := range strings.Split(props, ",") {
				key, value, _ := strings.Cut(p, "=")
				if !strings.Contains(" file line col title ", " "+key+" ") || strings.ContainsAny(value, ":\r\n") {
					t.Fatalf("property %q of %q", p, line)
				}
			}
		}
	})
}

// Outside code, the Markdown form holds no link, image, HTML or mention, as
// GitHub's dialect reads it.
func TestMarkdownIsInert(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(render(t, FormatMarkdown, drawReport(t)))
		err := ast.Walk(md.Parser().Parse(gmtext.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.Heading, *ast.Blockquote:
				return ast.WalkStop, fmt.Errorf("%s in %q", n.Kind(), src)
			case *ast.CodeSpan:
				return ast.WalkSkipChildren, nil
			case *ast.Text:
				if s := string(n.Value(src)); entering && strings.ContainsAny(s, "@#<`&") {
					return ast.WalkStop, fmt.Errorf("text %q in %q", s, src)
				}
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestMarkdownIsBounded(t *testing.T) {
	var r validate.Report
	for i := range 2000 {
		r.Diagnostics.Errorf("rule", diag.Pos{File: "f", Line: i + 1}, "fix it somehow", "something is wrong here")
	}
	out := render(t, FormatMarkdown, r)
	if len(out) > maxMarkdown+200 || !strings.Contains(out, " more; the text report has them all.") {
		t.Errorf("%d bytes, ends %q", len(out), out[len(out)-80:])
	}
}

// The paths of the SARIF form stay relative, and its messages hold no links.
func TestSARIF(t *testing.T) {
	for _, texts := range [][]string{nil, hostile(), {"../../etc/passwd", "/abs", "//host/x", "javascript:alert(1)", "a/./b", "%2e%2e/x", "C:\\x"}} {
		r := reportOf(texts...)
		var out struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Level     string
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(render(t, FormatSARIF, r)), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) != 1 || len(out.Runs[0].Results) != len(texts) {
			t.Fatalf("%d runs", len(out.Runs))
		}
		for _, res := range out.Runs[0].Results {
			if out.Runs[0].Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
				t.Errorf("rule %d is not %s", res.RuleIndex, res.RuleID)
			}
			if strings.Contains(strings.ReplaceAll(res.Message.Text, `\[`, ""), "[") {
				t.Errorf("a link in %q", res.Message.Text)
			}
			for _, l := range res.Locations {
				ref := l.PhysicalLocation.ArtifactLocation.URI
				u, err := url.Parse(ref)
				if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || strings.HasPrefix(ref, "/") || strings.Contains("/"+ref+"/", "/../") {
					t.Errorf("uri %q: %v", ref, err)
				}
			}
		}
	}
}

// Rules that packages describe are described in SARIF.
func TestSARIFDescribesRules(t *testing.T) {
	known := scan.Rules()[0]
	r := validate.Report{}
	r.Diagnostics.Errorf(known.ID, diag.Pos{File: "f", Line: 1}, "", "found")
	out := render(t, FormatSARIF, r)
	for _, want := range []string{known.ID, "help", "shortDescription"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}
