package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// TestReadAlike makes commits past the gate that claim, in unusual forms, to be announced by
// a human's key. They are taken back, which makes a break of those that count. assent-verify
// must read them as the engine does (see outsider).
func TestReadAlike(t *testing.T) {
	inOne(t, "past the gate", func(d *world, variant func(string, func())) {
		key := string(d.who["ada"].Fingerprint())
		main := d.main()
		top, err := d.Repo.WriteTree(d.treeOf(main), []tree.Edit{skill("evil")})
		d.ok(err)
		d.ok(d.Repo.Sync())
		for i, message := range []string{
			"evil\n\nAssent-Attested-By: " + key, "evil\n\nassent-attested-by: " + key, "evil\n\nX-Note: y\n z\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By:\n " + key, "evil\n\nAssent-Attested-By: \n\t" + key + "\n ", "Assent-Attested-By: " + key, "\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By: " + key + "\nassent-attested-by: x", "evil\n\nAssent-Attested-By: x\nASSENT-ATTESTED-BY: " + key,
			"evil\n\n\nAssent-Attested-By: " + key, "evil\n\nAssent-Attested-By: " + key + "\nno trailer", "evil\n\n y\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By: " + key + "\r", "evil\n\nAssent-Attested-By : " + key, "evil\n\nAssent-Attested-By:" + key,
		} {
			heads := []string{
				"author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\n", "author M <m@x> 5 +0000\ncommitter M <m@x> %d +051800\n", "author e\ncommitter M <m@x> %d +0000\n",
				"author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\nchange-id kzpx\n", "author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\nencoding UTF-8\n",
			}
			if i == 0 {
				heads = append(heads, unwrittenHeads()...)
			}
			for _, head := range heads {
				variant(fmt.Sprintf("%q, %.200q", strings.ReplaceAll(message, key, "KEY"), head), func() {
					now := d.tick().Unix()
					made := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\n"+head+"\n%s\n", top, main, now, message))
					for _, head := range []string{head, "author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\n"} {
						back := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\n"+head+"\nBack\n", d.treeOf(main), made, now+1))
						d.put(attest.MainRef, d.parsed(back))
						fresh, err := d.newReader()
						d.ok(err)
						d.outsider(fresh)
						d.put(attest.MainRef, main)
					}
				})
			}
		}
	})
}

// unwrittenHeads are authors, committers and other headers that no program writes, or at the
// limits of what readers accept.
func unwrittenHeads() (heads []string) {
	const who = "M <m@x> 5 +0000"
	for _, author := range []string{"M <m@x> 253402300799 +0000", "M <m@x> 253402300800 +0000", "M <m@x> 999999999999 +0000", "M <m@x> 9999999999999 +0000", "M <m@x>", "M <m@x> <n@x>> 5 +0000",
		strings.Repeat("M", 4082) + " <m@x> 5 +0000", strings.Repeat("M", 4083) + " <m@x> 5 +0000"} {
		heads = append(heads, "author "+author+"\ncommitter M <m@x> %d +0000\n")
	}
	for _, rest := range []string{"encoding GBK", "encoding gbk\nnote \xc4\xe3", "encoding ISO-8859-1\nnote \xfc", "encoding LATIN1", "encoding UTF-16", "encoding ", "encoding UTF-8\n more",
		"encoding UTF-8\nencoding UTF-8", "encoding utf8\nnote \xc3\xbc", "gpgsig-sha256 x\ngpgsig-sha256 x", "note " + strings.Repeat("x", 1<<20)} {
		heads = append(heads, "author "+who+"\ncommitter M <m@x> %d +0000\n"+rest+"\n")
	}
	return append(heads, "patch x\nauthor "+who+"\ncommitter M <m@x> %d +0000\n", "author "+who+"\ncommitter M <m@x> %d +0000 \n", "author M\xc4\xe3 <m@x> 5 +0000\ncommitter M <m@x> %d +0000\nencoding GBK\n")
}

// Events that are appended to a journal do not hide the announcement below them from assent-verify
// while the engine still finds it.
func TestReadAlikeBelowEvents(t *testing.T) {
	inOne(t, "below more events than a journal has", func(d *world, variant func(string, func())) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		d.merge(p.ID)
		d.begin()
		ref := local.PullPrefix + p.ID
		head := d.ref(ref)
		for what, body := range map[string]string{
			"that are events": "x: x\n\nAssent-Journal: 1\nAssent-Sequence: %d\nAssent-Event: x\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: M\n",
			"that are none":   "x %d\n",
		} {
			variant(what, func() {
				var stream strings.Builder
				for i := range 20_100 {
					from := ""
					if i == 0 {
						from = "from " + head.String() + "\n"
					}
					text := fmt.Sprintf(body, 100+i)
					fmt.Fprintf(&stream, "commit %s\ncommitter M <m@x> 5 +0000\ndata %d\n%s\n%s", ref, len(text), text, from)
				}
				d.gitIn(stream.String(), "fast-import", "--quiet", "--force")
				d.reopen()
				fresh, err := d.newReader()
				d.ok(err)
				d.outsider(fresh)
				d.put(ref, head)
			})
		}
	})
}
