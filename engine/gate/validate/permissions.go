package validate

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// checkPermissions refuses tools and servers whose side effects are known and that name no permissions, if
// the policies in force ask for them. It warns if the record declared the same before, or if an undo restores it.
func checkPermissions(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	brought, err := s.bringsBack()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		r := l.head.Record
		effects := s.Policies.Security.Unpermitted(r.SideEffects, r.Permissions)
		if !l.InHead || len(effects) == 0 || l.head.Kind != capability.KindTool && l.head.Kind != capability.KindMCP {
			continue
		}
		report := out.Errorf
		if brought || l.InBase && len(l.base.Record.Permissions) == 0 && slices.Equal(l.base.Record.SideEffects, r.SideEffects) {
			report = out.Warnf
		}
		report(RulePermissions, l.head.RecordPos("side_effects"), "add permissions: with what it needs of the operating system, such as write-files; "+policy.SecurityFile+" asks for that (require_os_permissions)",
			"%s has side effects (%s) and names no permissions", l.head.Name, strings.Join(effects, ", "))
	}
	return out, nil
}
