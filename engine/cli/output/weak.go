package output

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// WeakApproval is an approval by a person whose key lies on this machine without a passphrase:
// any program of this user could have signed it. Of keys elsewhere nothing is known.
type WeakApproval struct {
	By   string             `json:"by"`
	Key  review.Fingerprint `json:"key"`
	File string             `json:"file"`
}

// NameWeak adds the weak approvals of an examined proposal.
func (v *Proposal) NameWeak(cur workspace.Session, ex workspace.Examined) error {
	var bare map[review.Fingerprint]string
	for _, r := range ex.Case.Facts().Reviews {
		if !r.Valid || r.Decision != review.Approve || r.By.Key == "" {
			continue
		}
		if bare == nil {
			spec, err := console.KeyOf(cur)
			if err != nil {
				return err
			}
			if bare, err = keys.BareKeys(spec); err != nil {
				return err
			}
		}
		id, known := cur.Policies.Roles.ByKey(r.By.Key)
		if file, weak := bare[r.By.Key]; weak && known && id.Kind == policy.KindHuman {
			if w := (WeakApproval{id.Name, r.By.Key, file}); !slices.Contains(v.Weak, w) {
				v.Weak = append(v.Weak, w)
			}
		}
	}
	return nil
}

// Text says so in one line.
func (w WeakApproval) Text() string {
	return fmt.Sprintf("the key of %s's approval has no passphrase: any program that runs as you could have signed it; ssh-keygen -p -f %s",
		console.OneLine(w.By), names.ShellWord(console.OneLine(w.File)))
}

// PrintWeak names weak approvals.
func PrintWeak(c *console.Console, weak []WeakApproval) {
	for _, w := range weak {
		c.Field("weak", c.Style.Warn(w.Text()))
	}
}
