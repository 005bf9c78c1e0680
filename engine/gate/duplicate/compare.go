package duplicate

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// Degree says how much alike two capabilities are.
type Degree int

// The degrees, from the least.
const (
	Different Degree = iota
	// Reworded: much the same words, or nearly the same name and description.
	Reworded
	// Renamed: nearly the same text and files under another name.
	Renamed
	// Identical: the same in every file, but for the name and a heading that is the name.
	Identical
)

// String returns the degree's name.
func (d Degree) String() string {
	return [...]string{"different", "reworded", "renamed", "identical"}[d]
}

// The thresholds of similarity (Jaccard). They were set on published skills; docs/checks.md
// has the figures. Texts about different things share less than half of their words, skills
// made from one template up to nine tenths, and copies more.
const (
	renamedPairs   = 0.80
	renamedBeside  = 0.80
	rewordedWords  = 0.60
	rewordedPairs  = 0.30
	namedAlike     = 0.80 // trigrams of two names
	describedAlike = 0.50
	// enough is how many different words a text needs before its words can tell
	// anything, and a description as one.
	enough      = 30
	enoughAbout = 4
)

// Likeness is the result of a comparison.
type Likeness struct {
	Degree Degree
	// Share of the pairs of words that both texts have, from 0 to 1.
	Share float64
}

// Compare compares two sketches that went through Beside.
func Compare(a, b Sketch) Likeness {
	out := Likeness{Share: jaccard(a.pairs, b.pairs)}
	switch {
	case a.sameText(b) && equal(a.files, b.files):
		out.Degree = Identical
	case telling(a, b) && (out.Share >= renamedPairs || a.sameButName(b)) && jaccard(a.beside, b.beside) >= renamedBeside:
		out.Degree = Renamed
	case a.sameText(b), telling(a, b) && a.sameButName(b), a.reworded(b), a.sameAbout(b):
		out.Degree = Reworded
	}
	return out
}

// Near reports whether two texts are so much alike that it is worth comparing all
// files. It is true for all that Compare tells from Different.
func Near(a, b Sketch) bool {
	if a.sameText(b) || telling(a, b) && a.sameButName(b) {
		return true
	}
	if telling(a, b) && jaccard(a.words, b.words) >= rewordedWords && jaccard(a.pairs, b.pairs) >= rewordedPairs {
		return true
	}
	return a.sameAbout(b)
}

// reworded reports whether two texts have most words in common, without those that assent
// writes into each tool.
func (s Sketch) reworded(o Sketch) bool {
	return min(len(s.ownWords), len(o.ownWords)) >= enough && jaccard(s.ownWords, o.ownWords) >= rewordedWords && jaccard(s.ownPairs, o.ownPairs) >= rewordedPairs
}

// sameAbout reports whether names and descriptions are nearly the same.
func (s Sketch) sameAbout(o Sketch) bool {
	return min(len(s.about), len(o.about)) >= enoughAbout && jaccard(s.about, o.about) >= describedAlike && alikeNames(s.name, o.name)
}

// telling reports whether both texts are long enough for their words to tell anything.
func telling(a, b Sketch) bool { return min(len(a.words), len(b.words)) >= enough }

func equal(a, b set) bool { return len(a) == len(b) && jaccard(a, b) == 1 }

// sameText compares descriptions and bodies word for word, as they are and each without
// a heading that is the capability's own name.
func (s Sketch) sameText(o Sketch) bool {
	return plain(s.description) == plain(o.description) && (plain(s.body) == plain(o.body) || s.untitled() == o.untitled())
}

func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

func (s Sketch) untitled() string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s.body), "\n")
	if title, ok := strings.CutPrefix(first, "# "); ok && names.Fold(strings.Join(strings.Fields(title), "-")) == names.Fold(s.name) {
		return plain(rest)
	}
	return plain(s.body)
}

// sameButName reports whether two texts are equal after each leaves out its own name
// everywhere.
func (s Sketch) sameButName(o Sketch) bool {
	return s.anonymous(s.description) == o.anonymous(o.description) && s.anonymous(s.body) == o.anonymous(o.body)
}

func (s Sketch) anonymous(text string) string {
	if s.name == "" {
		return plain(text)
	}
	return strings.ReplaceAll(plain(text), s.name, "\x00")
}

// alikeNames reports whether two names consist of the same words in any order, ending or
// number, or are spelt nearly the same.
func alikeNames(a, b string) bool {
	if jaccard(stems(a), stems(b)) == 1 {
		return true
	}
	x, y := trigrams(a), trigrams(b)
	j := jaccard(x, y)
	return 2*j/(1+j) >= namedAlike // Dice's coefficient
}

// stems are the words of a name without the English endings of verbs and of nouns for their
// agents ("parse", "parser"), and without version numbers.
func stems(name string) set {
	var out set
	for word := range strings.SplitSeq(names.Fold(name), "-") {
		if strings.Trim(word, "v0123456789") == "" {
			continue
		}
		for _, ending := range []string{"ing", "ers", "er", "ed", "es", "s", "e"} {
			if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= 3 {
				word = stem
				break
			}
		}
		out = append(out, hash(word))
	}
	return out.sorted()
}

func trigrams(name string) set {
	name = "-" + names.Fold(name) + "-"
	var out set
	for i := 0; i+3 <= len(name); i++ {
		out = append(out, hash(name[i:i+3]))
	}
	return out.sorted()
}
