package workflow

// The built-in actions.
const (
	Inbox    = "inbox"
	Health   = "health"
	Validate = "validate"
	Merge    = "merge"
	Notify   = "notify"
	GC       = "gc"
)

// Actions returns all of them, sorted.
func Actions() []string { return []string{GC, Health, Inbox, Merge, Notify, Validate} }

// usable are all values of uses.
func usable() []string { return append(Actions(), Call) }

// missing maps actions that users may expect and this version does not have to the
// alternative.
var missing = map[string]string{
	"index":         "each pass and each reader updates the index",
	"reconcile":     "a pass carries out workflows; cron, assent serve or schedule.yml starts one",
	"open-proposal": "the first job that delivers files opens the run's proposal",
	"maintenance":   "merges tidy up, and cron can call assent maintenance",
}
