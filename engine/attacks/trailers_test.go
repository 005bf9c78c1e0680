package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
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
		for _, message := range []string{
			"evil\n\nAssent-Attested-By: " + key, "evil\n\nassent-attested-by: " + key, "evil\n\nX-Note: y\n z\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By:\n " + key, "evil\n\nAssent-Attested-By: \n\t" + key + "\n ", "Assent-Attested-By: " + key, "\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By: " + key + "\nassent-attested-by: x", "evil\n\nAssent-Attested-By: x\nASSENT-ATTESTED-BY: " + key,
			"evil\n\n\nAssent-Attested-By: " + key, "evil\n\nAssent-Attested-By: " + key + "\nno trailer", "evil\n\n y\nAssent-Attested-By: " + key,
			"evil\n\nAssent-Attested-By: " + key + "\r", "evil\n\nAssent-Attested-By : " + key, "evil\n\nAssent-Attested-By:" + key,
		} {
			for _, head := range []string{
				"author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\n", "author M <m@x> 5 +0000\ncommitter M <m@x> %d +051800\n", "author e\ncommitter M <m@x> %d +0000\n",
				"author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\nchange-id kzpx\n", "author M <m@x> 5 +0000\ncommitter M <m@x> %d +0000\nencoding UTF-8\n",
			} {
				variant(fmt.Sprintf("%q, %q", strings.ReplaceAll(message, key, "KEY"), head), func() {
					now := d.tick().Unix()
					made := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\n"+head+"\n%s\n", top, main, now, message))
					back := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\n"+head+"\nBack\n", d.treeOf(main), made, now+1))
					d.put(attest.MainRef, d.parsed(back))
					anew, err := d.anew()
					d.ok(err)
					d.outsider(anew)
					d.put(attest.MainRef, main)
				})
			}
		}
	})
}
