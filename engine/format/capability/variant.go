package capability

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
)

var modelShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}\*?$`) })

// IsModel reports whether s can name models in a record: one by its name, or all that begin with the text before
// a final *.
func IsModel(s string) bool { return modelShape().MatchString(s) }

// ForModel reports whether a capability whose record lists these models is for a model. An empty list fits all models,
// and no other list fits an unknown model, "".
func ForModel(models []string, model string) bool {
	return len(models) == 0 || slices.ContainsFunc(models, func(p string) bool {
		start, all := strings.CutSuffix(p, "*")
		return p == model || all && model != "" && strings.HasPrefix(model, start)
	})
}

// VariantOf reports whether c is another form of a skill, for some models.
func (c Capability) VariantOf(o Capability) bool {
	return c.Kind == KindSkill && o.Kind == KindSkill && len(c.Record.Models) > 0 && names.Fold(c.Record.Implements) == names.Fold(o.Name)
}

// ShareModel reports whether two lists of models have a model in common.
func ShareModel(a, b []string) bool {
	meets := func(a, b []string) bool {
		return slices.ContainsFunc(b, func(p string) bool { return ForModel(a, strings.TrimSuffix(p, "*")) })
	}
	return len(a) == 0 || len(b) == 0 || meets(a, b) || meets(b, a)
}
