package stress_test

import (
	"crypto/sha1" //nolint:gosec // Git's object names.
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// act is one command of assent, with the effects that it has once acknowledged.
type act struct {
	kind string // the command's name
	command
	// on is the proposal that it is about; empty if it opens one.
	on string
	// token is a word that it writes into the repository, and that occurs nowhere else.
	token string
	// file and blob are the content that it proposes.
	file, blob string
}

// actor makes up acts that fit the current state.
type actor struct {
	place *place
	rand  *rand.Rand
}

// propose returns an act that proposes a new skill, or another text of one in force.
func (a actor) propose(h history) (act, error) {
	skill := name("skill", a.rand)
	if known := a.skills(h); len(known) > 0 && a.rand.IntN(3) == 0 {
		skill = pick(a.rand, known)
	}
	return a.proposal(skill)
}

// proposal proposes a new text of a skill.
func (a actor) proposal(skill string) (act, error) {
	x := act{kind: "propose", token: name("token", a.rand), file: "skills/" + skill + "/SKILL.md"}
	dir, err := a.write(&x, skill)
	x.command = assent("propose", dir, "--goal", "hum as "+x.token, "--agent", pick(a.rand, a.place.agents), "--json")
	return x, err
}

// write makes a folder with the skill's file.
func (a actor) write(x *act, skill string) (string, error) {
	text := fmt.Sprintf("---\nname: %s\ndescription: Hums a tune. Use when somebody asks for background music.\n---\n# Hum\n\nThis is version %s.\n", skill, x.token)
	x.blob = blobOf(text)
	dir := filepath.Join(a.place.root, "drafts", x.token, skill)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o666)
}

// skills returns the skills that merges brought, including those undone.
func (a actor) skills(h history) []string {
	known := map[string]bool{}
	for id := range h.journals {
		if skill := regexp.MustCompile(`^skill-[0-9a-f]{8}`).FindString(id); skill != "" && h.merge(id).hash != "" {
			known[skill] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

func (a actor) update(id string) (act, error) {
	skill := regexp.MustCompile(`skill-[0-9a-f]{8}`).FindString(id)
	x := act{kind: "update", on: id, token: name("token", a.rand), file: "skills/" + skill + "/SKILL.md"}
	dir, err := a.write(&x, skill)
	x.command = assent("update", id, dir, "--json")
	return x, err
}

// about returns an act whose token is in a flag of its command.
func (a actor) about(kind, id string) act {
	x := act{kind: kind, on: id, token: name("token", a.rand)}
	switch kind {
	case "review":
		x.command = assent("review", id, "approve", "--reason", x.token, "--json")
	case "comment":
		x.command = assent("comment", id, "-m", x.token, "--json")
	case "withdraw":
		x.command = assent("withdraw", id, "--reason", x.token, "--json")
	case "undo":
		x.command = assent("undo", id, "--goal", "take back as "+x.token, "--agent", pick(a.rand, a.place.agents), "--json")
	default: // merge, reopen, rebase
		x.command = assent(kind, id, "--json")
	}
	return x
}

// any chooses an act that is valid, or was valid a moment ago.
func (a actor) any(h history) (act, error) {
	var open, ready, merged, shut []string
	for _, id := range slices.Sorted(maps.Keys(h.journals)) {
		j := h.journals[id]
		switch {
		case h.merge(id).hash != "":
			merged = append(merged, id)
		case !h.open(id):
			shut = append(shut, id)
		case approved(j):
			ready = append(ready, id)
		default:
			open = append(open, id)
		}
	}
	for {
		n := a.rand.IntN(100)
		switch {
		case n < 20 && len(open) < 8:
			return a.propose(h)
		case n < 40 && len(open) > 0:
			return a.about("review", pick(a.rand, open)), nil
		case n < 65 && len(ready) > 0:
			return a.about("merge", pick(a.rand, ready)), nil
		case n < 75 && len(merged) > 0:
			return a.about("undo", pick(a.rand, merged)), nil
		case n < 82 && len(h.journals) > 0:
			return a.about("comment", pick(a.rand, slices.Concat(open, ready, merged, shut))), nil
		case n < 87 && len(open)+len(ready) > 0:
			return a.about("withdraw", pick(a.rand, slices.Concat(open, ready))), nil
		case n < 91 && len(shut) > 0:
			return a.about("reopen", pick(a.rand, shut)), nil
		case n < 95 && len(open) > 0:
			if id := pick(a.rand, open); strings.HasPrefix(id, "skill-") {
				return a.update(id)
			}
		case n < 97 && len(open)+len(ready) > 0:
			return a.about("rebase", pick(a.rand, slices.Concat(open, ready))), nil
		case n >= 97 && len(merged) > 0:
			return act{kind: "maintenance", command: assent("maintenance", "--json")}, nil
		}
	}
}

// approved reports whether the last head was approved.
func approved(j journal) bool {
	return slices.ContainsFunc(j.of("review"), func(e event) bool {
		return e.trailer("Decision") == "approve" && e.trailer("Head") == j.head()
	})
}

// acknowledged returns the facts that the outcome of an act promises from now on.
func (x act) acknowledged(o outcome) ([]fact, error) {
	if o.exit != 0 {
		return nil, nil
	}
	var said struct{ ID, Merge string }
	if err := json.Unmarshal([]byte(o.stdout), &said); err != nil {
		return nil, fmt.Errorf("%s: %w", o, err)
	}
	switch x.kind {
	case "propose":
		return []fact{{kind: "opened", on: said.ID, text: x.token}, {kind: "pushed", on: said.ID, file: x.file, blob: x.blob}}, nil
	case "undo":
		return []fact{{kind: "opened", on: said.ID, text: x.token}}, nil
	case "update":
		return []fact{{kind: "pushed", on: x.on, file: x.file, blob: x.blob}}, nil
	case "review", "comment":
		return []fact{{kind: x.kind, on: x.on, text: x.token}}, nil
	case "withdraw":
		// If two withdraw at once, both get the answer that it is withdrawn, and the record holds
		// the reason of one.
		return []fact{{kind: "closed", on: x.on, text: "Why: withdrawn"}}, nil
	case "merge":
		return []fact{{kind: "merged", on: x.on, new: said.Merge}}, nil
	}
	return nil, nil
}

// phase is the progress of a killed act.
type phase string

const (
	nothing phase = "nothing yet"
	begun   phase = "partly visible"
	done    phase = "all of it visible"
)

// reached compares the history before and after an act.
func (x act) reached(before, after history) phase {
	switch x.kind {
	case "propose", "undo":
		return x.opened(after)
	case "merge":
		was, is := before.journals[x.on], after.journals[x.on]
		switch {
		case after.merge(x.on).hash != before.merge(x.on).hash && len(is.of("merged")) > 0:
			return done
		case after.merge(x.on).hash != before.merge(x.on).hash || len(is) > len(was):
			return begun
		}
	case "withdraw":
		_, branch := after.refs["refs/heads/proposal/"+x.on]
		return step(after.journals[x.on].says("closed", x.token), !branch)
	case "review", "comment":
		return step(after.journals[x.on].says(x.kind, x.token), true)
	default:
		was, is := before.journals[x.on], after.journals[x.on]
		return step(len(is) > len(was), len(is) > 0 && is[len(is)-1].kind == "report")
	}
	return nothing
}

func (x act) opened(h history) phase {
	for id, j := range h.journals {
		if j.says("opened", x.token) {
			_, branch := h.refs["refs/heads/proposal/"+id]
			if branch && len(j.of("report")) > 0 {
				return done
			}
			return begun
		}
	}
	return nothing
}

func step(visible, complete bool) phase {
	switch {
	case visible && complete:
		return done
	case visible:
		return begun
	}
	return nothing
}

// blobOf returns the object name of a file's content.
func blobOf(text string) string {
	return fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(text), text)))) //nolint:gosec // see the import
}
