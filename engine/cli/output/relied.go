package output

import (
	"strings"

	"github.com/assent-dev/assent/engine/audit"
)

// ReliedText describes the state of a merge that depended on a key.
func ReliedText(r audit.Relied) string {
	again := ""
	if len(r.Again) > 0 {
		again = "approved again by " + strings.Join(r.Again, ", ")
	}
	switch {
	case !r.Needed && again != "":
		return again + ", without the key " + string(r.Key)
	case !r.Needed:
		return "it passes without the key " + string(r.Key)
	case len(r.Excepted) > 0:
		e := r.Excepted[len(r.Excepted)-1]
		return "excepted by " + e.By + ": " + e.Reason
	}
	return strings.TrimPrefix(again+"; ", "; ") + "it does not pass without the key " + string(r.Key) + ": " + r.Without
}
