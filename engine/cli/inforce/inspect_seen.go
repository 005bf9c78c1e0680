package inforce

import (
	"github.com/assent-dev/assent/engine/workspace"
)

// count counts how often calls here met each known error, in any version.
func (p *inspectJSON) count(cur workspace.Session) error {
	if len(p.ErrorPatterns) == 0 {
		return nil
	}
	known, err := workspace.HealthOf(cur).Read(p.Name)
	if err != nil {
		return err
	}
	for i := range p.ErrorPatterns {
		e := &p.ErrorPatterns[i]
		met := known.Pattern(e.Match)
		e.Seen, e.FirstSeen, e.LastSeen = met.Seen, met.First, met.Last
		if e.Resolved {
			e.Returned = met.Returned
		}
	}
	return nil
}
