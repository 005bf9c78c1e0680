package gitstore

import (
	"fmt"
	"testing"
)

// TestOddCommits reads commits that git accepts and no program writes today.
func TestOddCommits(t *testing.T) {
	b := newBare(t)
	top := b.tree()
	parent := b.put("commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nfirst\n", top))
	const who = "A <a@x> 1100000000 +0100"
	for _, c := range []struct {
		what, author, committer, rest string
	}{
		{"no address", "Ann", who, "\nm\n"},
		{"an empty address", "Ann <> 5 +0000", "Ann <> 5 +0000", "\nm\n"},
		{"no name", "<a@x> 5 +0000", "<a@x> 5 +0000", "\nm\n"},
		{"no blank before the address", "Ann<a@x> 5 +0000", "Ann<a@x> 5 +0000", "\nm\n"},
		{"no date of the author", "Ann <a@x>", who, "\nm\n"},
		{"two addresses of the author", "Ann <a@x> <b@x>> 5 +0000", who, "\nm\n"},
		{"an odd zone", "A <a@x> 5 +051800", "A <a@x> 5 -2461", "\nm\n"},
		{"a zone of seconds", "A <a@x> 5 -7", "A <a@x> 5 +00000", "\nm\n"},
		{"zeros before the date", "A <a@x> 000", "A <a@x> 0000000001 +0000", "\nm\n"},
		{"no line break at the end", who, who, "\nm"},
		{"no message", who, who, "\n"},
		{"nothing after the headers", who, who, ""},
		{"blank lines first", who, who, "\n\n\n m\n"},
		{"a signature", who, who, "gpgsig -----BEGIN\n \n abc\n -----END\n\nm\n"},
		{"a merged tag", who, who, "mergetag object " + parent.String() + "\n type commit\n tag v1\n tagger T <t@x> 1 +0000\n \n words\nmergetag object 0\n\nm\n"},
		{"headers of Mercurial", who, who, "HG:rename a:b\nHG:extra branch:x\n\nm\n"},
		{"UTF-8 said", who, who, "encoding UTF-8\n\nmäh\n"},
		{"Latin-1", "J\xf6rg <j@x> 5 +0000", who, "encoding ISO-8859-1\n\ngr\xfc\xdfe\n"},
		{"Latin-9", who, who, "encoding iso-8859-15\n\n1 \xa4\n"},
		{"Windows-1251", who, who, "encoding cp1251\n\n\xcf\xf0\xe8\n"},
		{"KOI8-R", who, who, "encoding KOI8-R\n\n\xf0\xd2\xc9\n"},
		{"EUC-JP in ASCII", who, who, "encoding EUC-JP\n\nhello\n"},
		{"bytes that are no UTF-8", who, who, "\n\xff\xfe\n"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := &bare{TB: t, dir: b.dir, repo: b.repo, blob: b.blob}
			h := b.put("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %s\n%s", top, parent, c.author, c.committer, c.rest))
			got, err := b.repo.Commit(h)
			if err != nil {
				t.Fatal(err)
			}
			b.agrees(h, got)
		})
	}
}

// TestCharsets compares each decoded charset with git, byte by byte.
func TestCharsets(t *testing.T) {
	b := newBare(t)
	top := b.tree()
	for _, name := range []string{"ISO-8859-1", "latin1", "latin-1", "ISO-8859-2", "ISO-8859-5", "ISO-8859-15", "windows-1250", "cp1251", "CP1252", "koi8-r"} {
		text := "x"
		for c := 0xa0; c < 0x100; c++ {
			one := "x" + string([]byte{byte(c)})
			if _, err := toUTF8(name, one); err == nil {
				text += one[1:]
			}
		}
		h := b.put("commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\nencoding %s\n\n%s\n", top, name, text))
		c, err := b.repo.Commit(h)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b.agrees(h, c)
	}
}
