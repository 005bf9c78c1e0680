package names

import (
	"encoding/base32"
	"strings"
	"time"
)

const (
	// maxSlug leaves room for '-' and the random part within MaxName.
	maxSlug = 48
	// idRandom is the number of random characters of an id: 40 bits.
	idRandom = 8
	// idAlphabet is Crockford's base 32 in lower case: without i, l, o, u, so that an id can be
	// read aloud and spells no word.
	idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// NewProposalID returns a proposal's id: a slug of text (a capability's name or a goal), '-'
// and the 40 random bits as 8 characters.
func NewProposalID(text string, random [5]byte) string {
	head := slug(text, maxSlug)
	if head == "" {
		head = "proposal"
	}
	return head + "-" + base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding).EncodeToString(random[:])
}

// ParseProposalID splits an id into its slug and its 8 random characters; ok is false if it has
// another form.
func ParseProposalID(id string) (head, random string, ok bool) {
	i := len(id) - idRandom - 1
	if i < 1 || id[i] != '-' || !hasShape(id) {
		return "", "", false
	}
	head, random = id[:i], id[i+1:]
	if len(head) > maxSlug || strings.Trim(random, idAlphabet) != "" {
		return "", "", false
	}
	return head, random, true
}

// ProposalPath returns the path of the proposal with this id, opened on date (UTC):
// proposals/yyyy/mm/dd/id.md.
func ProposalPath(id string, date time.Time) string {
	return string(ProposalsArea) + "/" + date.UTC().Format("2006/01/02") + "/" + id + ".md"
}

// ProposalDay returns the day, yyyy-mm-dd, in the path of a proposal's file, and "" for any
// other path.
func ProposalDay(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) != 5 || parts[0] != string(ProposalsArea) {
		return ""
	}
	day := strings.Join(parts[1:4], "-")
	if t, err := time.Parse(time.DateOnly, day); err != nil || t.Format(time.DateOnly) != day {
		return ""
	}
	return day
}
