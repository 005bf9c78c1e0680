package gate

import "github.com/assent-dev/assent/engine/gate/policy"

// Approvers names those whose approval of this content counts, sorted.
func Approvers(c Case) []string { return policy.Approvers(c.Policies, c.Facts()) }
