package attest

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Refusal is a reason why a commit is not in force, as opposed to a failure to
// find out.
type Refusal struct {
	Reason string
	// Break, Proposal and AnnouncedBy are as in Unattested.
	Break                 bool
	Proposal, AnnouncedBy string
	// Reanchor and Bypassed are as in Unattested.
	Reanchor string
	Bypassed tree.Hash
	// Restore is as in Unattested.
	Restore string
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Refuse makes a Refusal.
func Refuse(format string, args ...any) error { return &Refusal{Reason: fmt.Sprintf(format, args...)} }

// Restorable returns a Refusal of a merge that may be honest, with instructions to restore its
// evidence.
func Restorable(restore, format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...), Restore: restore}
}

// restore returns a refusal's instructions to restore the evidence.
func restore(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Restore
	}
	return ""
}

// IsRefusal distinguishes refusals from failures.
func IsRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
