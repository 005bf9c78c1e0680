package settings

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBlockIsUndone: for any text, a block is added once, and removed byte for byte.
func TestBlockIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "# Mine", "text", "  - x", "[model]", "a = 1", "<!-- other -->"})).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "ends")
		src := []byte(strings.Join(lines, end))
		numbered := make([]string, len(lines)) // TOML has each key and table once
		for i, line := range lines {
			numbered[i] = strings.NewReplacer("  - x", "x% = 2", "text", "y% = 'z'", "model", "model%", "a =", "a% =", "<!--", "# <!--").Replace(line)
			numbered[i] = strings.ReplaceAll(numbered[i], "%", strconv.Itoa(i))
		}
		for _, b := range []Block{Markdown("one\ntwo\n", "one\ntwo\n[mcp_servers.assent]\nthree = 1\n"), TOML("mcp_servers.assent", "[mcp_servers.assent]\ncommand = \"assent\"\n")} {
			src := src
			if b.table != "" {
				src = []byte(strings.Join(numbered, end))
			}
			out, err := b.Set(src)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(out, src) || !b.Has(out) {
				t.Fatalf("%q became %q", src, out)
			}
			if again, err := b.Set(out); err != nil || !bytes.Equal(again, out) {
				t.Fatalf("again: %v %q", err, again)
			}
			changed := b
			changed.Text = "[mcp_servers.assent]\nthree = 1\n"
			other, err := changed.Set(out)
			if err != nil || !changed.Has(other) || b.Has(other) {
				t.Fatalf("changed: %v %q", err, other)
			}
			for _, text := range [][]byte{out, other} {
				if back, err := b.Remove(text, false); err != nil || !bytes.Equal(back, src) {
					t.Fatalf("undone: %v\n%q\n%q", err, src, back)
				}
			}
		}
	})
}

// TestBlockAmid: a block that a person moved is changed in its place, and the text around
// it stays.
func TestBlockAmid(t *testing.T) {
	b := Markdown("one\n")
	made, err := b.Set(nil)
	if err != nil {
		t.Fatal(err)
	}
	if gone, err := b.Remove(made, true); err != nil || gone != nil {
		t.Errorf("a file that was made for it: %q %v", gone, err)
	}
	if kept, err := b.Remove(made, false); err != nil || kept == nil || len(kept) != 0 {
		t.Errorf("an empty file that was there: %q %v", kept, err)
	}
	text := append([]byte("# Above\n"), append(made, "below"...)...)
	out, err := Markdown("two\nthree\n", "one\n").Set(text)
	if want := strings.Replace(string(text), "one", "two\nthree", 1); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	if back, err := Markdown("two\nthree\n").Remove(out, true); err != nil || string(back) != "# Above\nbelow" {
		t.Errorf("%v %q", err, back)
	}
}

func TestBlockFaults(t *testing.T) {
	md, toml := Markdown("x\n"), TOML("mcp_servers.assent", "x\n")
	begin := strings.Replace(md.Open, "%d", "1", 1)
	for name, c := range map[string]struct {
		b    Block
		src  string
		line int
		says string
	}{
		"no end":            {md, "a\n" + begin + "\nb\n", 2, "do not pair"},
		"no begin":          {md, "a\nb\n" + md.Close + "\n", 3, "do not pair"},
		"the wrong way":     {md, md.Close + "\n" + begin + "\n", 1, "do not pair"},
		"twice":             {md, begin + "\n" + md.Close + "\n" + begin + "\n" + md.Close + "\n", 1, "do not pair"},
		"binary":            {md, "a\n\x00", 2, "no text"},
		"a table":           {toml, "a = 1\n[mcp_servers.assent]\n", 2, "there already"},
		"a quoted table":    {toml, "[ \"mcp_servers\" . 'assent' ]\n", 1, "there already"},
		"a table below":     {toml, "\n[mcp_servers.assent.env]\n", 2, "there already"},
		"dotted":            {toml, "mcp_servers.assent.command = 'x'\n", 1, "there already"},
		"in the parent":     {toml, "[mcp_servers]\nassent = {command = 'x'}\n", 2, "there already"},
		"one value":         {toml, "mcp_servers = {}\n", 1, "one value"},
		"an open string":    {toml, "a = \"\"\"\n[mcp_servers.assent]\n", 2, ""},
		"an open literal":   {toml, "a = '''\n", 1, ""},
		"escaped, not open": {toml, "a = \"\"\"\\\"\"\"\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := c.b.Set([]byte(c.src))
			var f *Fault
			if !errors.As(err, &f) || f.Line != c.line || !strings.Contains(f.What, c.says) || f.Fix == "" || out != nil {
				t.Errorf("%v (fault %+v), %q", err, f, out)
			}
		})
	}
	for name, src := range map[string]string{
		"in a string":   "a = \"\"\"\n[mcp_servers.assent]\n\"\"\"\n",
		"in a comment":  "# [mcp_servers.assent]\n",
		"another":       "[mcp_servers.assent2]\n[mcp_servers]\nassented = 1\n[other]\nassent = 1\n",
		"a quote in it": "a = 'it # is \"\"\" here'\nb = \"'''\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := toml.Set([]byte(src)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBlockKeeps: what others wrote between the marks, and what they added to the block's table, stays.
func TestBlockKeeps(t *testing.T) {
	const begin, end = "# assent:begin 1: written by assent connect, removed by assent disconnect\n", "# assent:end\n"
	const table = "[mcp_servers.assent]\ncommand = \"assent\"\nargs = [\"mcp\"]\nenv.ASSENT_HOME = \"/h\"\n"
	const above, others = "model = \"x\"\n\n", "\n# mine\n[marketplaces.x]\nsource = \"\"\"\n[mcp_servers.assent]\n\"\"\"\n\n[features]\na = true\n"
	toml := TOML("mcp_servers.assent", table, "env.ASSENT_HOME")
	old := strings.ReplaceAll(table, "assent\"", "/old/assent\"")
	spread := strings.Replace(old, "env.ASSENT_HOME", "\n[mcp_servers.assent.env]\nASSENT_HOME", 1)
	const begins, ends = "<!-- assent:begin 0: written by assent connect, removed by assent disconnect -->\n", "<!-- assent:end -->\n"
	for name, c := range map[string]struct {
		b               Block
		src, set, after string
	}{
		"tables of others":  {toml, above + begin + old + others + end + "[z]\n", above + begin + table + end + others + "[z]\n", above[:len(above)-1] + others + "[z]\n"},
		"lines before it":   {toml, above + begin + "y = 1\n" + old + end, above + "y = 1\n" + strings.Replace(begin, "1", "0", 1) + table + end, above + "y = 1\n"},
		"a table between":   {toml, above + begin + old + "[a]\nb = 1\n[mcp_servers.assent.tools.x]\nc = 1\n" + end, above + begin + table + "\n[mcp_servers.assent.tools.x]\nc = 1\n" + end + "[a]\nb = 1\n", above[:len(above)-1] + "[a]\nb = 1\n"},
		"no begin":          {toml, above + spread + others + end, above + begin + table + end + others, above[:len(above)-1] + others},
		"no end":            {toml, above + begin + old + others, above + begin + table + end + others, above[:len(above)-1] + others},
		"added keys":        {toml, above + begin + old + "# why\ntools = [\n  \"a\", # b\n  \"args=\",\n]\nenv.KEY = \"k\"\n" + end, above + begin + table + "# why\ntools = [\n  \"a\", # b\n  \"args=\",\n]\nenv.KEY = \"k\"\n" + end, above[:len(above)-1]},
		"variables, inline": {toml, above + begin + strings.Replace(old, "env.ASSENT_HOME = \"/h\"", "env = { ASSENT_HOME = \"/h\", \"K\" = '}, x' }", 1) + end, above + begin + table + "env.\"K\" = '}, x'\n" + end, above[:len(above)-1]},
		"variables below":   {toml, above + begin + spread + "KEY = \"k\"\n" + end, above + begin + table + "env.KEY = \"k\"\n" + end, above[:len(above)-1]},
		"a long list":       {toml, above + begin + strings.Replace(old, "[\"mcp\"]", "[\n  \"mcp\",\n]\ntimeout = 5", 1) + end, above + begin + table + "timeout = 5\n" + end, above[:len(above)-1]},
		"Markdown":          {Markdown("# a\n\nb\n", "c\n"), "x\n" + begins + "\n# a\nc\n\nmine\n\nmore\nb\n" + ends, "x\n\n" + begins + "# a\n\nb\n" + ends + "\nmine\n\nmore\n", "x\n\n\nmine\n\nmore\n"},
	} {
		for _, nl := range []string{"\n", "\r\n"} {
			t.Run(name, func(t *testing.T) {
				in := func(s string) string { return strings.ReplaceAll(s, "\n", nl) }
				out, err := c.b.Set([]byte(in(c.src)))
				if err != nil || string(out) != in(c.set) {
					t.Errorf("%v\n%s\nwant\n%s", err, out, c.set)
				}
				if again, err := c.b.Set(out); err != nil || !bytes.Equal(again, out) {
					t.Errorf("again: %v\n%s", err, again)
				}
				for _, src := range []string{in(c.src), in(c.set)} {
					if back, err := c.b.Remove([]byte(src), false); err != nil || string(back) != in(c.after) {
						t.Errorf("removed: %v\n%q\n%q", err, back, in(c.after))
					}
				}
			})
		}
	}
	if _, err := toml.Set([]byte("a = 1\n[mcp_servers.assent]\ncommand = \"x\"\n" + end)); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("a server of another kind and one mark: %v", err)
	}
}

func FuzzBlock(f *testing.F) {
	b := TOML("mcp_servers.assent", "[mcp_servers.assent]\n")
	for _, seed := range []string{"", "a = 1", "[x]\r\n", strings.Replace(b.Open, "%d", "2", 1) + "\n" + b.Close, "a = \"\"\"\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, had, _ := b.find(src)
		out, err := b.Set(src)
		if err != nil || had {
			return
		}
		if back, err := b.Remove(out, false); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("%q became %q, and then %q (%v)", src, out, back, err)
		}
	})
}

// TestBrokenTOML: a file that a TOML reader refuses gets no block. The fault names its line, also behind a block that is there.
func TestBrokenTOML(t *testing.T) {
	b := TOML("mcp_servers.assent", "[mcp_servers.assent]\ncommand = \"assent\"\nargs = [\"mcp\"]\n")
	begun, err := b.Set([]byte("a = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for broken, line := range map[string]int{
		"model = gpt\n": 1, "x = 1\nmodel\n": 2, "[x\ny = 1\n": 1, "[x]]\n": 1, "[[x]\n": 1, "[]\n": 1, "x = 1 y = 2\n": 1, "x = \n": 1, "= 1\n": 1, "x = \"y\nz = 1\n": 1, "x = 'y\n": 1,
		"x = \"C:\\Users\"\n": 1, "x = [1, 2\ny = 3\n": 2, "x = [1 2]\n": 1, "x = {y = 1\n": 1, "x = {y}\n": 1, "x = {\"y\": 1}\n": 1, "x = 1\n\nx = 2\n": 3, "[x]\n[y]\n[x]\n": 3, "x = 1\n[x.y]\n": 2,
		"[x]\ny = {z = 1, z = 2}\n": 2, "{\"x\": 1}\n": 1, "x: 1\n": 1, "x = True\n": 1, "x = 01\n": 1, "<<<<<<< HEAD\n": 1, "x = 1;\n": 1, "x = \"\"\"y\n": 1, "x.y.= 1\n": 1, "a b = 1\n": 1, "x = \xff\n": 1, "[[x]]\n[x]\n": 2,
		"x = " + strings.Repeat("[", 1000) + "\n": 1,
	} {
		for src, more := range map[string]int{broken: 0, string(begun) + broken: strings.Count(string(begun), "\n")} {
			var f *Fault
			if out, err := b.Set([]byte(src)); !errors.As(err, &f) || f.Line != line+more || f.Fix == "" || out != nil {
				t.Errorf("%q is taken, or the fault is not in line %d: %v", src, line+more, err)
			}
		}
	}
	for _, sound := range []string{
		"x = [ # one\n  1,\n  [2, 'a', {b = true}],\n]\n", "'x y'.\"z\" = 1979-05-27 07:32:00Z\n", "x = 07:32:00\ny = -1_000.5e+3\nz = 0xdead_beef\nw = -inf\n", "[[x]]\ny = 1\n[x.z]\n[[x]]\ny = 2\n[x.z]\n",
		"x = \"\"\"a \\\n  \"b\"\"\"\"\"\ny = '''c\\'''\n", "[a.b]\n[a]\nc = 1\n", "\"\\u0061\" = 1\n'\\u0061' = 2\n", "x = {}\ny = []\n \t# end", "x = {a.b = 1, a.c = \"}\"}\r\n[ y . z ] # c\r\n", "x = \"C:\\\\Users\"\ny = 'C:\\Users'\n",
	} {
		if _, err := b.Set([]byte(sound)); err != nil {
			t.Errorf("%q: %v", sound, err)
		}
	}
}
