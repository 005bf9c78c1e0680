package skillsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// maxListed is how many characters of a description Claude Code shows in its list of skills.
const maxListed = 1536

// LeftOut is a skill in force that is not written, and why.
type LeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Listing is the part of each prompt that lists the folder's skills, in characters.
type Listing struct {
	Used int `json:"used"`
	// Others is the part of skills in the folder that are not sync's. It comes on top, and takes no
	// place from skills in force.
	Others int `json:"others"`
	// Budget is the number of characters that the client shows; 0 is no limit.
	Budget int `json:"budget"`
}

// listed is the length of a skill's line in a client's list.
func listed(name, description string) int {
	return len("- ") + len(name) + len(": ") + min(utf8.RuneCountInString(description), maxListed) + len("\n")
}

// choose returns the skills to write, by name: those in force that the agent may use and no person
// stopped. If their listing exceeds the budget, those with the most successes stay.
func choose(ctx context.Context, cur workspace.Session, t Target, others int) ([]index.Entry, []LeftOut, Listing, error) {
	out, size := []LeftOut{}, Listing{Others: others, Budget: t.Budget}
	stops, err := cur.Stops(ctx)
	if err != nil {
		return nil, nil, size, err
	}
	all, err := cur.Capabilities.Entries(func(e index.Entry) bool {
		return e.Kind == capability.KindSkill && e.Status.Runs() && e.Agents.Admits(t.Agent)
	})
	if err != nil {
		return nil, nil, size, err
	}
	all = slices.DeleteFunc(all, func(e index.Entry) bool {
		held, stopped := stops.Of(e.Name)
		switch {
		case stopped:
			out = append(out, LeftOut{e.Name, "a person stopped it: " + held.Reason})
		case len(e.Models) > 0: // the folder serves whichever model a session has
			out = append(out, LeftOut{e.Name, "it is for the models " + strings.Join(e.Models, ", ") + "; load still reaches it"})
		}
		return stopped || len(e.Models) > 0
	})
	needed := 0
	for _, e := range all {
		needed += listed(e.Name, e.Description)
	}
	if t.Budget > 0 && needed > t.Budget {
		if err := rank(cur, all); err != nil {
			return nil, nil, size, err
		}
	}
	var in []index.Entry
	for _, e := range all {
		n := listed(e.Name, e.Description)
		if t.Budget > 0 && size.Used+n > t.Budget {
			out = append(out, LeftOut{e.Name, fmt.Sprintf("its line of %d characters does not fit the client's listing; find and load still reach it", n)})
			continue
		}
		size.Used += n
		in = append(in, e)
	}
	order.Sort(in, func(a, b index.Entry) int { return strings.Compare(a.Name, b.Name) })
	order.Sort(out, func(a, b LeftOut) int { return strings.Compare(a.Name, b.Name) })
	return in, out, size, nil
}

// rank sorts skills by recorded use, so that no unknown installation chooses for the client: successes as
// find and link weigh them, then times followed and times loaded by known writers, then name.
func rank(cur workspace.Session, all []index.Entry) error {
	var r triallog.Reading
	if err := workspace.TrialsOf(cur).Refresh(&r); err != nil {
		return err
	}
	trust := r.Trust(cur.Policies.Retention.Trials.Writers)
	successes, uses := map[string]float64{}, map[string]map[trial.Level]int64{}
	for _, e := range all {
		successes[e.Name] = r.Book.Of(names.Fold(e.Name), e.Version, trust).Successes
		uses[e.Name] = r.Book.Observed(names.Fold(e.Name), e.Version, trust).Uses
	}
	order.Sort(all, func(a, b index.Entry) int {
		x, y := uses[a.Name], uses[b.Name]
		return cmp.Or(cmp.Compare(successes[b.Name], successes[a.Name]), cmp.Compare(y[trial.Followed], x[trial.Followed]), cmp.Compare(y[trial.Loaded], x[trial.Loaded]), strings.Compare(a.Name, b.Name))
	})
	return nil
}

// foreign is the listing of the skills in a folder that the manifest does not record.
func foreign(dir string, m manifest) (int, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", dir, err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	total := 0
	for _, e := range entries {
		if m.Skills[e.Name()] != nil || !e.IsDir() {
			continue
		}
		file := e.Name() + "/" + names.SkillFile
		if info, err := root.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
			continue
		}
		src, err := root.ReadFile(file)
		if err != nil {
			continue
		}
		fields, _ := capability.FrontMatter(file, src)
		description, _ := fields["description"].(string)
		total += listed(e.Name(), description)
	}
	return total, err
}
