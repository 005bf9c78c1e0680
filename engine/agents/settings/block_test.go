package settings

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBlockIsUndone: for any text, a block is added once, and removed byte for byte.
func TestBlockIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "# Mine", "text", "  - x", "[model]", "a = 1", "<!-- other -->"})).Draw(t, "lines")
		src := []byte(strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "ends")))
		for _, b := range []Block{Markdown("one\ntwo\n"), TOML("mcp_servers.assent", "[mcp_servers.assent]\ncommand = \"assent\"\n")} {
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
			changed.Text = "three\n"
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
	out, err := Markdown("two\nthree\n").Set(text)
	if want := strings.Replace(string(text), "one", "two\nthree", 1); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	if back, err := b.Remove(out, true); err != nil || string(back) != "# Above\nbelow" {
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
		"an open string":    {toml, "a = \"\"\"\n[mcp_servers.assent]\n", 3, "inside of a string"},
		"an open literal":   {toml, "a = '''\n", 2, "inside of a string"},
		"escaped, not open": {toml, "a = \"\"\"\\\"\"\"\n", 2, "inside of a string"},
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
