package duplicate

import (
	"bytes"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Bounds of a comparison in bytes: text further down is ignored.
const (
	maxText   = 256 << 10
	maxBeside = 256 << 10
)

// Sketch is a capability prepared for comparing.
type Sketch struct {
	name, description, body string
	// words and pairs are the distinct words of description and body, and the
	// distinct pairs of words that follow each other (Broder's shingles of two), as
	// sorted hashes.
	words, pairs set
	// ownWords and ownPairs leave out the sentences that assent writes into each tool.
	ownWords, ownPairs set
	// about are the distinct words of the description alone.
	about set
	// files are the names and contents of all files but SKILL.md; beside are the
	// pairs of words in them, without the record and the tests. Both are read by
	// Beside.
	files, beside set
}

// Of prepares a capability's SKILL.md. The files beside it are added by Beside.
func Of(c capability.Capability) Sketch {
	s := Sketch{name: c.Name, description: c.Description, body: c.Skill.Body}
	if len(s.body) > maxText {
		s.body = s.body[:maxText]
	}
	s.words, s.pairs = shingles(s.description + "\n" + s.body)
	s.ownWords, s.ownPairs = s.words, s.pairs
	if text := s.description + "\n" + s.body; generated().MatchString(text) {
		s.ownWords, s.ownPairs = shingles(generated().ReplaceAllString(text, "\n"))
	}
	s.about, _ = shingles(s.description)
	return s
}

// generated are the sentences that the templates of tools write, which say nothing of a tool.
var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("Call it by name: \\w+\\.|A tool: call `\\w+` by name with one JSON object" +
		"(?:; do not wrap it in a script\\.|\\. Do not wrap it in a script, a command or another tool: its code\\s+is laid into the sandbox for one call only, and can be neither imported nor started there\\.)")
})

// Beside reads the other files of the capability from the view that it was loaded
// from. The error is the view's.
func (s *Sketch) Beside(v tree.View, dir string) error {
	left := maxBeside
	err := tree.Files(v, dir, func(e tree.Entry) error {
		name := strings.TrimPrefix(e.Path, dir+"/")
		if name == capability.SkillFile || !e.Mode.IsFile() {
			return nil
		}
		data, err := v.Read(e.Path)
		if err != nil {
			return err
		}
		s.files = append(s.files, hash(name, string(data)))
		if name == capability.RecordFile || name == capability.SuiteFile || left <= 0 {
			return nil
		}
		s.beside = append(s.beside, fileSet(data[:min(left, len(data))])...)
		left -= len(data)
		return nil
	})
	s.files, s.beside = s.files.sorted(), s.beside.sorted()
	return err
}

// fileSet returns the pairs of words of a file, or one hash of its bytes if it is not text.
func fileSet(data []byte) set {
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return set{hash(string(data))}
	}
	_, pairs := shingles(string(data))
	return pairs
}

// set is a sorted list of distinct hashes.
type set []uint64

func (s set) sorted() set {
	slices.Sort(s)
	return slices.Compact(s)
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p)) // which never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// shingles are the distinct words of a text, and the distinct pairs of neighbours.
func shingles(text string) (words, pairs set) {
	before := uint64(0)
	index.Words(text, func(word []byte) {
		now := hash(string(word))
		if words = append(words, now); len(words) > 1 {
			pairs = append(pairs, before*31+now)
		}
		before = now
	})
	return words.sorted(), pairs.sorted()
}

// jaccard returns the share of common elements in the union of two sets. Two empty sets are
// equal.
func jaccard(a, b set) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
