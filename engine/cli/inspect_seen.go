package cli

import (
	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/failures"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/suite"
	"github.com/assent-dev/assent/engine/workspace"
)

// count says how often each error that the record knows was met here of late: among the calls
// that failed and are kept. Each counts for the first pattern that explains it, as when it is told.
func (p *inspectJSON) count(cur workspace.Current, known []capability.ErrorPattern) error {
	if len(known) == 0 {
		return nil
	}
	home, err := keys.Home()
	if err != nil {
		return err
	}
	kept, err := failures.New(home, cur.ID()).All()
	if err != nil {
		return err
	}
	for _, f := range kept {
		is, ok := suite.Explain(known, f.Error)
		if f.Tool != p.Name || !ok {
			continue
		}
		for i := range p.ErrorPatterns {
			if p.ErrorPatterns[i].Match == is.Match {
				p.ErrorPatterns[i].Seen++
				break
			}
		}
	}
	return nil
}
