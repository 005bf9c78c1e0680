package workflow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// order sorts jobs so that each comes after those that it needs, ties by name (Kahn's
// algorithm), and reports needs that cannot be met.
func (p *jobParser) order(n strictyaml.Node, jobs []Job) []Job {
	slices.SortFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Name, b.Name) })
	var all []string
	for _, j := range jobs {
		all = append(all, j.Name)
	}
	if !p.knownNeeds(n, jobs, all) {
		return jobs
	}
	var done []Job
	ready := map[string]bool{}
	for len(jobs) > 0 {
		next := slices.IndexFunc(jobs, func(j Job) bool {
			return !slices.ContainsFunc(j.Needs, func(need string) bool { return !ready[need] })
		})
		if next < 0 {
			p.cycle(jobs)
			return append(done, jobs...)
		}
		ready[jobs[next].Name] = true
		done = append(done, jobs[next])
		jobs = slices.Delete(jobs, next, next+1)
	}
	return done
}

func (p *jobParser) knownNeeds(n strictyaml.Node, jobs []Job, all []string) bool {
	known := true
	for _, j := range jobs {
		for _, need := range j.Needs {
			if slices.Contains(all, need) {
				continue
			}
			known = false
			p.diags.Errorf(RuleNeeds, needPos(n, j, need), suggest(need, without(all, j.Name), "name one of the jobs: "),
				"job %s needs %s, which this workflow does not have", quote(j.Name), quote(need))
		}
	}
	return known
}

func without(all []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == name })
}

// needPos finds where job j names need.
func needPos(n strictyaml.Node, j Job, need string) diag.Pos {
	needs := n.Get(j.Name).Get("needs")
	for i := range needs.Len() {
		if text, _ := needs.Index(i).Text(); text == need {
			return needs.Index(i).Pos()
		}
	}
	return needs.Pos()
}

// cycle reports one cycle among jobs that cannot start. Each of them needs another of them,
// so following the first need of each leads back.
func (p *jobParser) cycle(stuck []Job) {
	byName := map[string]Job{}
	for _, j := range stuck {
		byName[j.Name] = j
	}
	var walk []string
	at := stuck[0].Name
	for !slices.Contains(walk, at) {
		walk = append(walk, at)
		at = byName[at].Needs[slices.IndexFunc(byName[at].Needs, func(need string) bool {
			_, waiting := byName[need]
			return waiting
		})]
	}
	walk = walk[slices.Index(walk, at):]
	p.diags.Errorf(RuleCycle, byName[at].Pos, "remove one of these needs",
		"jobs wait for each other: %s", strings.Join(append(walk, at), " needs "))
}
