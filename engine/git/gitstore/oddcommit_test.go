package gitstore

import (
	"cmp"
	"errors"
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
		{"an empty address", "Ann <> 5 +0000", "Ann <> 5 +0000", "\nm\n"},
		{"no name", "<a@x> 5 +0000", "<a@x> 5 +0000", "\nm\n"},
		{"no blank before the address", "Ann<a@x> 5 +0000", "Ann<a@x> 5 +0000", "\nm\n"},
		{"an odd zone", "A <a@x> 5 +051800", "A <a@x> 5 -2461", "\nm\n"},
		{"a zone of seconds", "A <a@x> 5 -7", "A <a@x> 5 +00000", "\nm\n"},
		{"no line break at the end", who, who, "\nm"},
		{"no message", who, who, "\n"},
		{"nothing after the headers", who, who, ""},
		{"blank lines first", who, who, "\n\n\n m\n"},
		{"a signature", who, who, "gpgsig -----BEGIN\n \n abc\n -----END\n\nm\n"},
		{"a merged tag", who, who, "mergetag object " + parent.String() + "\n type commit\n tag v1\n tagger T <t@x> 1 +0000\n \n words\nmergetag object 0\n\nm\n"},
		{"headers of Mercurial", who, who, "HG:rename a:b\nHG:extra branch:x\n\nm\n"},
		{"UTF-8 said", who, who, "encoding UTF-8\n\nmäh\n"},
		{"zeros before the date", who, "A <a@x> 0000000001 +0000", "\nm\n"},
		{"the last second that is read", "A <a@x> 253402300799 +0000", who, "\nm\n"},
		{"Latin-1 in ASCII", who, who, "encoding ISO-8859-1\n\nhello\n"},
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

// TestUnwritten refuses commits that no version of git writes: its readers differ about them, or
// show other text than what they hold.
func TestUnwritten(t *testing.T) {
	const who = "A <a@x> 1100000000 +0100"
	for what, text := range map[string][3]string{
		"no address":                  {"Ann", who, ""},
		"no date of the author":       {"Ann <a@x>", who, ""},
		"two addresses of the author": {"Ann <a@x> <b@x>> 5 +0000", who, ""},
		"text after the zone":         {who, who + " x", ""},
		"two blanks before the date":  {who, "A <a@x>  5 +0000", ""},
		"a date of thirteen digits":   {"A <a@x> 0000000000001 +0000", who, ""},
		"an author after 9999":        {"A <a@x> 253402300800 +0000", who, ""},
		"a committer after 9999":      {who, "A <a@x> 253402300800 +0000", ""},
		"Latin-1 in the message":      {who, who, "encoding ISO-8859-1\n\ngr\xfc\xdfe\n"},
		"GBK in the message":          {who, who, "encoding GBK\n\n\xc4\xe3\n"},
		"GBK in a name":               {"\xc4\xe3 <a@x> 5 +0000", who, "encoding GBK\n\nm\n"},
		"GBK in another header":       {who, who, "encoding GBK\nnote \xc4\xe3\n\nm\n"},
		"an encoding without ASCII":   {who, who, "encoding UTF-16\n\nm\n"},
	} {
		raw := fmt.Appendf(nil, "tree %040x\nauthor %s\ncommitter %s\n%s", 1, text[0], text[1], cmp.Or(text[2], "\nm\n"))
		if _, err := parseCommit(raw); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
