package scan

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
	"github.com/assent-dev/assent/engine/base/tree"
)

// File is one file to judge.
type File struct {
	// Path is slash-separated from the workspace's root.
	Path string
	// Mode is Git's; anything but a regular or executable file is unreadable.
	Mode tree.Mode
	// Content is the blob, or the beginning of one that is too large; the scanner
	// does not change it.
	Content []byte
	// Size is the size of the whole file in bytes if Content is only a part of it, else 0.
	Size int64
	// plain is the plain form whose text is Content, or nil if Content is the original.
	plain *plaintext.Text
}

// Declared holds the things that a capability says it uses, as plain values out of
// its capability.yaml.
type Declared struct {
	// Hosts are "name" or "name:port"; a name that starts with "*." admits every
	// host below it.
	Hosts []string
	// Secrets are names of environment variables.
	Secrets []string
	// SideEffects are free words; "network" is the one that matters here.
	SideEffects []string
}

// Options hold facts that the caller knows and the files do not contain. The zero
// value scans with the default limits and compares nothing with declarations.
type Options struct {
	// Declared maps a capability's folder (such as "skills/data/parse-csv") to
	// its declaration. A folder that is absent declares nothing and is not
	// compared: prompt skills have no capability.yaml.
	Declared map[string]Declared
	// MaxFile is the largest text file in bytes that is read; 0 means
	// DefaultMaxFile. A larger one is refused unread.
	MaxFile int
	// Each calls do with 0 to n-1, in any order and at once if it likes, and returns
	// when all are done. If Each is nil, they are done one after the other.
	Each func(n int, do func(i int))
}

// DefaultMaxFile is the size limit of a text file, DefaultMaxAsset of a
// recognised image, font or document under assets/.
const (
	DefaultMaxFile  = 1 << 20
	DefaultMaxAsset = 2 << 20
)

// RuleInfo describes one rule, for docs, policies and reports.
type RuleInfo struct {
	// ID is the value of Diagnostic.Rule.
	ID string
	// Layer is the area of docs/checks.md that the rule belongs to.
	Layer Layer
	// Severity is the strongest that the rule gives; context may lower it.
	Severity diag.Severity
	// Summary is the finding's message, Why the reason for the rule, Fix the
	// remedy for a finding. Each is a sentence, Summary without a final stop.
	Summary, Why, Fix string
}

// Files returns everything that the rules find in files, as written and in their plain
// forms, sorted.
func Files(files []File, opt Options) diag.List {
	return guarded(files, func() diag.List { return filesFound(files, opt) })
}

func filesFound(files []File, opt Options) diag.List {
	out := judgeFiles(files, opt, false)
	for _, form := range forms() {
		//defence:phrases-in-plain-form
		if plain, hiding := plainForms(files, form, opt); hiding {
			out = addHidden(out, judgeFiles(plain, opt, true), form)
		}
	}
	out.Sort()
	return out
}

// judgeFiles applies the rules to each file, and to those that belong together. With
// plainOnly, files without a plain form of their own are read only beside others.
func judgeFiles(files []File, opt Options, plainOnly bool) diag.List {
	total, sizes := 0, make([]int, len(files))
	for i, f := range files {
		total += len(f.Content)
		sizes[i] = len(f.Content) + perProgram
	}
	limit := fairLimit(mostPrograms, sizes)
	budget := min(confirmBudget, max(leastBudget, sharedBudget/max(1, len(files))))
	if total > sharedBudget {
		budget = min(confirmBudget, sharedBudget/len(files))
	}
	found := make([]diag.List, len(files))
	programs := make([]*document, len(files))
	beside := sync.OnceValue(func() map[string]bool { return namesOf(files) })
	opt.each(len(files), func(i int) {
		f, isProgram := files[i], programFile(files[i])
		if plainOnly && f.plain == nil && !isProgram {
			return
		}
		d, unread := readFile(f, opt)
		if d != nil {
			d.budget, d.programs = budget, limit
			d.beside = func(name string) bool { return beside()[name] }
		}
		if !plainOnly || f.plain != nil {
			found[i] = append(unread, scanDocument(d)...)
		}
		if isProgram {
			programs[i] = d
		}
	})
	out := append(slices.Concat(found...), rules().diags...)
	out = append(out, unseenBefore(out, joint(files, opt))...)
	out = append(out, unseenBefore(out, handed(files, programs, opt))...)
	lowerSamples(files, out)
	lowerTold(files, out)
	return out
}

// namesOf returns the names of files and folders, in lower case and without extensions.
func namesOf(files []File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		for part := range strings.SplitSeq(strings.ToLower(f.Path), "/") {
			names[strings.TrimSuffix(part, path.Ext(part))] = true
		}
	}
	return names
}

// fairLimit returns the share of most that each of several files may have. Small files have all
// that they need, and the others share the rest. It returns most if that is enough for all.
func fairLimit(most int, sizes []int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	left := most
	for i, size := range sizes {
		if size > left/(len(sizes)-i) {
			return left / (len(sizes) - i)
		}
		left -= size
	}
	return most
}

// Rules returns every rule, in the order of docs/checks.md.
func Rules() []RuleInfo {
	var out []RuleInfo
	for _, f := range rules().files {
		for i := range f.Rules {
			out = append(out, f.Rules[i].info(f.Layer))
		}
	}
	return out
}
