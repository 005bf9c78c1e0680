package snippet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/snippet"
)

// choose unwraps code whose parser accepts everything without marks of wrappers.
func choose(t *testing.T, code string, lang capability.Runtime) snippet.Form {
	t.Helper()
	f, why, err := snippet.Choose(code, lang, func(code string) (string, error) {
		for _, mark := range []string{"<![CDATA[", "]]>", "&quot;", "&lt;", "&#39;", "~~~"} {
			if strings.Contains(code, mark) {
				return "it has " + mark, nil
			}
		}
		if lang == capability.Python && strings.Contains(code, "```") {
			return "it has ```", nil
		}
		return "", nil
	})
	if err != nil || why != "" {
		t.Fatalf("%q: %s %v", code, why, err)
	}
	return f
}

func TestChoose(t *testing.T) {
	const bare = "print(\"a\" < 'b')\n"
	for _, w := range []struct {
		name, code string
		taken      []string
	}{
		{"bare", bare, nil},
		{"CDATA", "<![CDATA[" + bare + "]]>", []string{"a CDATA wrapper"}},
		{"CDATA that only ends", bare + "]]>\n", []string{"a CDATA wrapper"}},
		{"CDATA that only begins", " <![CDATA[\n" + bare, []string{"a CDATA wrapper"}},
		{"a fence", "```python\n" + bare + "```\n", []string{"a Markdown fence"}},
		{"a long fence", "\n````\n" + bare + "````", []string{"a Markdown fence"}},
		{"a fence of tildes", "~~~py\n" + bare + "~~~", []string{"a Markdown fence"}},
		{"entities", "print(&quot;a&quot; &lt; &#39;b&#39;)\n", []string{"HTML entities"}},
		{"all of them", "<![CDATA[\n```python\nprint(&quot;a&quot; &lt; &#39;b&#39;)\n```\n]]>", []string{"a CDATA wrapper", "a Markdown fence", "HTML entities"}},
		{"an encoded CDATA", "&lt;![CDATA[print(&quot;a&quot; &lt; &#39;b&#39;)]]&gt;", []string{"HTML entities", "a CDATA wrapper"}},
	} {
		t.Run(w.name, func(t *testing.T) {
			if f := choose(t, w.code, capability.Python); f.Code != bare || !slices.Equal(f.Taken, w.taken) {
				t.Errorf("%q without %v", f.Code, f.Taken)
			}
		})
	}
}

// TestChooseFences: a fence is valid syntax in shells and JavaScript, but still a fence.
func TestChooseFences(t *testing.T) {
	for _, lang := range []capability.Runtime{capability.Bash, capability.Node} {
		if f := choose(t, "```\necho\n```\n", lang); f.Code != "echo\n" {
			t.Errorf("%s: %q", lang, f.Code)
		}
		inner := "echo `ls`\nx=\"```\"\n"
		if f := choose(t, inner, lang); f.Code != inner {
			t.Errorf("%s: %q", lang, f.Code)
		}
	}
}

// TestChooseLeavesAlone: code that parses is not changed.
func TestChooseLeavesAlone(t *testing.T) {
	for _, code := range []string{"<![CDATA[x]]>", "```\nx\n```", "a &lt; b", "x  \r\n\r\n"} {
		f, why, err := snippet.Choose(code, capability.Python, func(string) (string, error) { return "", nil })
		if f.Code != code || f.Taken != nil || why != "" || err != nil {
			t.Errorf("%q became %q", code, f.Code)
		}
	}
	f, why, _ := snippet.Choose("```\nx\n```", capability.Python, func(code string) (string, error) { return "no: " + code, nil })
	if f.Taken != nil || why != "no: ```\nx\n```" {
		t.Errorf("%+v, %q", f, why)
	}
}

func TestNeverCalled(t *testing.T) {
	for _, w := range []struct {
		name string
		lang capability.Runtime
		code string
		want []string
	}{
		{"python, nothing calls", capability.Python, "import sys\n\ndef run(a):\n    return 1\n\nasync def main():\n    run(1)\n", []string{"run", "main"}},
		{"python, a guard", capability.Python, "def main():\n    pass\n\nif __name__ == '__main__':\n    main()\n", nil},
		{"python, a guard that calls nothing", capability.Python, "def main():\n    pass\n\nif __name__ == '__main__':\n    pass\n", []string{"main"}},
		{"python, called at the end", capability.Python, "def main(): pass\nmain()\n", nil},
		{"python, handed over", capability.Python, "def main(): pass\nrun_it(main)\n", nil},
		{"python, a longer name is called", capability.Python, "def main(): pass\nmain_loop()\n", []string{"main"}},
		{"python, an argument that closes at the margin", capability.Python, "def main(\n    a,\n):\n    return main(a)\n", []string{"main"}},
		{"python, only named at the end", capability.Python, "def main(): pass\nmain\n", []string{"main"}},
		{"python, only named by a guard", capability.Python, "def main():\n    pass\n\nif __name__ == '__main__':\n    main\n", []string{"main"}},
		{"python, handed over on a line of its own", capability.Python, "def main(): pass\nrun_it(\n    main\n)\n", nil},
		{"node, only named at the end", capability.Node, "function main() {\n  return 1;\n}\nmain;\n", []string{"main"}},
		{"bash, called without arguments", capability.Bash, "main() {\n  echo\n}\nmain\n", nil},
		{"python, no function", capability.Python, "x = 1\n", nil},
		{"python, a comment names it", capability.Python, "def main():\n    pass\n# main() does it\n", []string{"main"}},
		{"bash, nothing calls", capability.Bash, "set -e\nmain() {\n  main2\n}\nfunction main2 {\n  :\n}\n", []string{"main", "main2"}},
		{"bash, called", capability.Bash, "main() {\n  echo\n}\nmain \"$@\"\n", nil},
		{"node, nothing calls", capability.Node, "'use strict';\nfunction main() {\n  return 1;\n}\nmodule.exports = { main };\n", []string{"main"}},
		{"node, an arrow", capability.Node, "export const main = async (a) => {\n  main(a);\n};\n", []string{"main"}},
		{"node, called", capability.Node, "const main = x => {\n};\nif (require.main === module) {\n  main();\n}\n", nil},
		{"starlark", capability.Starlark, "def main(input):\n    return input\n", nil},
	} {
		if got := snippet.NeverCalled(w.code, w.lang); !slices.Equal(got, w.want) {
			t.Errorf("%s: %v, want %v", w.name, got, w.want)
		}
	}
}

func TestWraps(t *testing.T) {
	known := func(spelling string) (string, bool) {
		name := snippet.Folded(spelling)
		return name, name == "top-news" || name == "statistics"
	}
	const none = "ModuleNotFoundError: No module named 'top_news'"
	for _, w := range []struct{ code, said, want string }{
		{"from top_news import top_news\nprint(top_news())", none, "top-news"},
		{"import top_news", none, "top-news"},
		{"const n = require('./top_news.js')", "Error: Cannot find module './top_news.js'", "top-news"},
		{"import subprocess\nsubprocess.run(['python3', 'acquired_skills/top_news.py'])", "", "top-news"},
		{"python3 skills/news/top-news/scripts/main.py", "", "top-news"},
		{"bash top-news/scripts/main.sh", "", "top-news"},
		{"assent run-tool top_news --input '{}'", "", "top-news"},
		{`subprocess.run(["assent", "run-tool", "top_news"])`, "", "top-news"},
		// Unrelated code gets no hint.
		{"import statistics\nstatistics.mean([])", "StatisticsError: mean requires at least one data point", ""},
		{"from json import loads\nprint(top_news)", "NameError: name 'top_news' is not defined", ""},
		{"print('top_news')", none, ""},
		{"cat skills/other/scripts/main.py", "", ""},
		{"import other", "ModuleNotFoundError: No module named 'other'", ""},
	} {
		if got := snippet.Wraps(w.code, w.said, known); got != w.want {
			t.Errorf("%q wraps %q, want %q", w.code, got, w.want)
		}
	}
}

func TestSuspects(t *testing.T) {
	for code, want := range map[string]string{
		"x = 1\n": "", "<![CDATA[x": "CDATA", "a &amp;&amp; b": "(&amp;)", "```python\nx": "fence", `import sys\nprint(1)\n`: "line breaks",
	} {
		if got := snippet.Suspects(code); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// FuzzForms: forms are few and distinct, the first is the unchanged code, and every
// function accepts any of them.
func FuzzForms(f *testing.F) {
	for _, code := range []string{"", "```", "```\n```", "<![CDATA[]]>", "&amp;lt;", "```\n<![CDATA[\n&#39;\n]]>\n```", "def f(:\n}", "function(){", "]]>]]>]]>", "from a import b", "\xff\xfe"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		forms := snippet.Forms(code)
		if forms[0].Code != code || forms[0].Taken != nil || len(forms) > 40 {
			t.Fatalf("%d forms, the first %q", len(forms), forms[0].Code)
		}
		seen := map[string]bool{}
		for _, form := range forms {
			if seen[form.Code] || len(form.Code) > len(code)+1 || len(form.Taken) > 3 {
				t.Fatalf("%q without %v", form.Code, form.Taken)
			}
			seen[form.Code] = true
			for _, lang := range capability.Runtimes() {
				snippet.NeverCalled(form.Code, lang)
			}
			snippet.Suspects(form.Code)
			snippet.Wraps(form.Code, form.Code, func(spelling string) (string, bool) {
				folded := snippet.Folded(spelling)
				return folded, folded != ""
			})
		}
	})
}
