package gc

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// installations names the journals that policies list.
type installations map[trial.Writer]string

func installationsOf(listed map[string]trial.Writer) installations {
	out := installations{}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		out[listed[name]] = name
	}
	return out
}

// of is an installation's name, if policies list it, and the beginning of its key's digest.
func (i installations) of(w trial.Writer) string {
	text := "installation "
	if name := i[w]; name != "" {
		text += name + " "
	}
	return text + string(w[:min(len(w), 10)])
}

// all names installations, the first ones.
func (i installations) all(list []trial.Writer) string {
	const most = 5
	var out []string
	for _, w := range list[:min(len(list), most)] {
		out = append(out, i.of(w))
	}
	if more := len(list) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// judge says who ended a mission.
func (i installations) judge(j trial.Judge) string {
	by := map[trial.Source]string{trial.Human: "a person", trial.Self: "its agent", trial.Engine: "assent"}[j.By]
	return cmp.Or(by, "no one") + " on " + i.of(j.Writer)
}

// mission names a mission, how it ended, and who said so.
func (i installations) mission(m *trial.Mission) string {
	text := fmt.Sprintf("%s of %s (%s by %s)", m.ID, day(m.Begun), cmp.Or(string(m.Outcome), "not ended"), i.judge(trial.Judge{Writer: m.Writer, By: m.By}))
	if m.Outcome == trial.Open {
		text = fmt.Sprintf("%s of %s (not ended, on %s)", m.ID, day(m.Begun), i.of(m.Writer))
	}
	if m.Task != "" {
		text += fmt.Sprintf(": %q", brief(m.Task))
	}
	return text
}

// brief is the beginning of a mission's text. It is quoted in a page, so nothing in it is markup.
func brief(text string) string {
	const most = 80
	text = strings.NewReplacer("`", "'", "<", "(", ">", ")", "[", "(", "]", ")", "@", " at ", "#", "no. ").Replace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// pairs lists missions that were compared.
func (i installations) pairs(shown []trial.Pair, with, without string) (out []string) {
	for _, p := range slices.Backward(shown) {
		out = append(out, with+": "+i.mission(p.With)+". "+without+": "+i.mission(p.Without)+".")
	}
	return out
}

// judges says how many missions who ended, the most first.
func (i installations) judges(of map[trial.Judge]int) string {
	const most = 10
	all := order.Sorted(maps.Keys(of), func(a, b trial.Judge) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(string(a.Writer), string(b.Writer)), strings.Compare(string(a.By), string(b.By)))
	})
	var out []string
	for n, j := range all {
		if n == most {
			out = append(out, fmt.Sprintf("%d others", len(all)-most))
			break
		}
		out = append(out, fmt.Sprintf("%d by %s", of[j], i.judge(j)))
	}
	return strings.Join(out, ", ")
}

// lastUse is the newest mission that used a capability, or was linked with it, nil for none.
func lastUse(name string, missions []trial.Mission) *trial.Mission {
	for n := range slices.Backward(missions) {
		if slices.ContainsFunc(missions[n].Uses, func(u trial.MissionUse) bool { return names.Fold(u.Capability) == names.Fold(name) }) {
			return &missions[n]
		}
	}
	return nil
}

// few names the newest three of missions, which are sorted with the oldest first.
func (i installations) few(missions []trial.Mission) string {
	const most = 3
	var out []string
	for n := range slices.Backward(missions) {
		if len(out) == most {
			break
		}
		out = append(out, i.mission(&missions[n]))
	}
	return strings.Join(out, "; ")
}
