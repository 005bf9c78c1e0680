package validate

import (
	"encoding"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
)

// checkBounds refuses records that give a call more time or memory than limits.yaml does. It only
// warns if the record exceeded the limit before, or an undo restores it: calls are limited anyway.
func checkBounds(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	limits := s.Policies.Limits
	for _, l := range all {
		if !l.InHead || l.head.Record.Run == nil {
			continue
		}
		run, was := *l.head.Record.Run, capability.Run{}
		if l.InBase && l.base.Record.Run != nil {
			was = *l.base.Record.Run
		}
		if most := limits.TimePerCall; most > 0 && time.Duration(run.Timeout) > most {
			if err := beyond(s, &out, l, "timeout", run.Timeout == was.Timeout, run.Timeout, capability.Duration(most), "time_per_call"); err != nil {
				return out, err
			}
		}
		if most := limits.MemoryPerCall; most > 0 && int64(run.Memory) > most {
			if err := beyond(s, &out, l, "memory", run.Memory == was.Memory, run.Memory, capability.Size(most), "memory_per_call"); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// beyond tells a bound of a record that is above the policy's.
func beyond(s *purpose, out *diag.List, l loaded, field string, before bool, asks, most encoding.TextMarshaler, limit string) error {
	brought, err := s.bringsBack()
	if err != nil {
		return err
	}
	severity := diag.Error
	if before || brought {
		severity = diag.Warning
	}
	asked, allowed := written(asks), written(most)
	out.Add(diag.Diagnostic{
		Rule: RuleBounds, Severity: severity, Pos: l.head.RecordPos("run", field),
		Fix:     "write " + allowed + " or less; a proposal for policies/limits.yaml can raise " + limit,
		Message: "run." + field + " is " + asked + ", and " + limit + " in limits.yaml lets a call take " + allowed,
	})
	return nil
}

// written is a bound as a record has it: 10m and not 10m0s.
func written(bound encoding.TextMarshaler) string {
	raw, err := bound.MarshalText()
	if err != nil {
		return "more than can be written"
	}
	text := string(raw)
	for _, zero := range []string{"0s", "0m"} {
		if rest, ok := strings.CutSuffix(text, zero); ok && strings.HasSuffix(rest, map[string]string{"0s": "m", "0m": "h"}[zero]) {
			text = rest
		}
	}
	return text
}
