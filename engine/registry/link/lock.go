package link

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
)

// LockVersion is the version of the format of locks.
const LockVersion = 1

// MaxLock is the longest lock that is read, in bytes.
const MaxLock = 4 << 20

// Question is the input of a link.
type Question struct {
	Mission string   `json:"mission"`
	Agent   string   `json:"agent,omitempty"`
	Model   string   `json:"model,omitempty"`
	Context []string `json:"context"`
	Budget  int      `json:"budget"`
	Each    int      `json:"each"`
	// ID is the mission's, by which the link explores; empty if it does not.
	ID string `json:"id,omitempty"`
}

// Lock records the inputs of a link, so that it can be linked again.
type Lock struct {
	V int `json:"v"`
	Question
	// Policies is the tree of policies/ in force.
	Policies     string   `json:"policies"`
	Capabilities []Locked `json:"capabilities"`
	// Gaps are the numbers of the steps that nothing served.
	Gaps []int `json:"gaps"`
}

// Locked is one capability, in the order of the link.
type Locked struct {
	Name    string             `json:"name"`
	Version capability.Version `json:"version"`
	// Blob is the tree of its folder: it differs where any byte of it does.
	Blob string `json:"blob"`
}

// LockOf is the lock of a link.
func LockOf(q Question, policies string, l Link) Lock {
	out := Lock{V: LockVersion, Question: q, Policies: policies, Capabilities: []Locked{}, Gaps: []int{}}
	if out.Context == nil {
		out.Context = []string{}
	}
	for _, c := range l.Linked {
		out.Capabilities = append(out.Capabilities, Locked{c.Name, c.Version, c.Blob})
	}
	for _, g := range l.Gaps {
		out.Gaps = append(out.Gaps, g.Step)
	}
	return out
}

// Encode writes a lock: the same bytes for the same lock, on every machine.
func (l Lock) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(l)
	return out.Bytes(), err
}

// ParseLock decodes the output of Encode.
func ParseLock(data []byte) (l Lock, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	switch err = d.Decode(&l); {
	case err != nil:
		return l, err
	case d.Decode(&struct{}{}) != io.EOF:
		return l, errors.New("something follows the lock")
	case l.V != LockVersion:
		return l, fmt.Errorf("version %d of the format; this program reads %d", l.V, LockVersion)
	case l.Each < 1 || l.Budget < 0 || len(l.Mission) > MaxMission:
		return l, errors.New("each, budget or mission is out of bounds")
	}
	return l, nil
}

// Move is a difference between a lock and a link of today.
type Move struct {
	// What names the difference: policies, gaps, order or a capability's name.
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// Moved returns the differences between a lock and the lock of the same question now; none if
// both have the same bytes.
func (l Lock) Moved(now Lock) (out []Move) {
	if l.Policies != now.Policies {
		out = append(out, Move{"policies", l.Policies, now.Policies})
	}
	find := func(in []Locked, name string) string {
		if i := slices.IndexFunc(in, func(c Locked) bool { return c.Name == name }); i >= 0 {
			return string(in[i].Version) + " " + in[i].Blob
		}
		return ""
	}
	for _, c := range l.Capabilities {
		if was, is := find(l.Capabilities, c.Name), find(now.Capabilities, c.Name); was != is {
			out = append(out, Move{c.Name, was, is})
		}
	}
	for _, c := range now.Capabilities {
		if find(l.Capabilities, c.Name) == "" {
			out = append(out, Move{c.Name, "", find(now.Capabilities, c.Name)})
		}
	}
	if !slices.Equal(l.Gaps, now.Gaps) {
		out = append(out, Move{"gaps", fmt.Sprint(l.Gaps), fmt.Sprint(now.Gaps)})
	}
	if len(out) == 0 && !slices.Equal(l.Capabilities, now.Capabilities) {
		out = append(out, Move{"order", "", ""})
	}
	return out
}
