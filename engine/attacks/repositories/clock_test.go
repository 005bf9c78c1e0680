package repositories_test

import (
	"os"
	"path/filepath"
	"time"
)

// clockBehind: on a machine whose clock is years behind, every dated command says so. It works
// again once the clock is set.
func clockBehind(p *place) {
	past := time.Now().AddDate(-3, 0, 0)
	p.atTime(past, "list").exits(p, 0).says(p, "hum")
	p.atTime(past, "doctor").exits(p, 0).says(p, "set the clock")
	id := p.propose("bowline")
	p.assent("review", id, "approve").exits(p, 0)
	p.atTime(past, "merge", id).exits(p, 3).says(p, "the clock")
	p.assent("merge", id).exits(p, 0)
	p.witness()
	p.assent("audit", "verify").exits(p, 0)
}

// clockAhead: a merge by a machine whose clock was years ahead locks no user out once the clock is
// right again.
func clockAhead(p *place) {
	future := time.Now().AddDate(3, 0, 0)
	p.atTime(future, "list").exits(p, 0).says(p, "hum")
	p.write(filepath.Join(p.top, "hum2", "SKILL.md"), "---\nname: hum2\ndescription: Hums another tune. Use when the first one is over.\n---\n# Hum\n")
	id := p.propose("bowline")
	p.assent("review", id, "approve").exits(p, 0)
	p.atTime(future, "merge", id).exits(p, 3).says(p, "expired") // an approval of years ago
	p.assent("merge", id).exits(p, 0)
	p.witness()

	later := p.atTime(future, "undo", id, "--json").exits(p, 0)
	undo := p.id(later)
	p.atTime(future, "review", undo, "approve").exits(p, 0)
	p.atTime(future, "merge", undo).exits(p, 0)
	p.assent("list").exits(p, 0)
	p.assent("doctor").exits(p, 0).says(p, "set the clock")
	id = p.propose("hum2")
	p.assent("review", id, "approve").exits(p, 0)
	main := p.git("rev-parse", "main")
	p.assent("merge", id).exits(p, 3).says(p, "set the clock if it is wrong")
	if p.git("rev-parse", "main") != main {
		p.Error("main moved")
	}

	// No other machine accepts it. The merging machine loses its memory, and the merge is
	// reverted.
	p.ok(os.RemoveAll(filepath.Join(p.top, "home", "assent", "state")))
	p.assent("status").says(p, "set the clock if it is wrong")
	p.git("revert", "-m", "1", "--no-edit", "main")
	p.assent("merge", id).exits(p, 0).says(p, "it is in force")
	p.assent("list").exits(p, 0).says(p, "bowline")
	p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
}
