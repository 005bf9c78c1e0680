package scan

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// sampleFolder matches a path below a folder of test samples, up to that folder's end.
var sampleFolder = expr(`(?i)^(?:.*?/)?(?:testdata|__fixtures__|fixtures|tests?/(?:[\w.-]+/)*?(?:samples?|cases|corpus|malicious|bad))/`)

// sampleName matches the name of a file that is bad on purpose.
var sampleName = expr(`(?i)(?:^|[/_-])(?:bad|vulnerable|insecure)(?:[_-][\w-]*)?\.\w+$`)

// mostSamples bounds the sample files that are looked up in the rest of a capability.
const mostSamples = 40

// lowerSamples makes warnings of the errors in the test samples of capabilities that
// say they are about security: a scanner is tested on bad examples. A file that the
// capability itself reaches outside of its tests is no sample, and a program that no
// reader can judge still blocks.
func lowerSamples(files []File, found diag.List) {
	verdicts := map[string]bool{}
	for i := range found {
		f := &found[i]
		if f.Severity != diag.Error || engine().byID(f.Rule).Layer == Readable {
			continue
		}
		sample, known := verdicts[f.Pos.File]
		if !known && len(verdicts) < mostSamples {
			sample = isSample(files, f.Pos.File)
			verdicts[f.Pos.File] = sample
		}
		if sample || isSpecimen(files, f) || inContainer(files, f) {
			f.Severity, f.Confidence = diag.Warning, min(f.Confidence, 0.5)
		}
	}
}

// isSpecimen reports whether a finding is in data with phrases to test others with, or in a text
// about attacks, and the file belongs to a capability about security. The capability says so to a
// model that reads the file; a person looks, too.
func isSpecimen(files []File, f *diag.Diagnostic) bool {
	phrases := engine().byID(f.Rule).Layer == Instructions && specimenFile.MatchString(f.Pos.File)
	return (phrases || attackText.MatchString(f.Pos.File)) && ownerAboutSecurity(files, path.Dir(f.Pos.File)) != ""
}

var (
	specimenFile = expr(`(?i)(?:^|/)[\w-]*(?:specimens?|payloads?|corpus|attacks?|injections?|(?:test[_-]?)?cases?)[\w-]*\.(?:jsonl?|ya?ml|csv|tsv)$`)
	attackText   = expr(`(?i)(?:^|/)references?/(?:[\w.-]+/)*[\w-]*(?:attacks?|dangerous|malicious|vulnerab|injection|exploit|malware|threat)[\w-]*\.md$`)
)

// inContainer reports whether a program that gives an agent every right is in the folder of the
// description of the container in which it is to run.
func inContainer(files []File, f *diag.Diagnostic) bool {
	return f.Rule == "agent-grant" && slices.ContainsFunc(files, func(g File) bool {
		return strings.EqualFold(path.Base(g.Path), "devcontainer.json") && path.Dir(g.Path) == path.Dir(f.Pos.File)
	})
}

// isSample reports whether name is a test sample of a capability about security.
func isSample(files []File, name string) bool {
	folder := path.Dir(name)
	if loc := sampleFolder.FindStringIndex(name); loc != nil {
		folder = name[:loc[1]-1]
	} else if !sampleName.MatchString(name) {
		return false
	}
	owner := ownerAboutSecurity(files, path.Dir(folder))
	if owner == "" {
		return false
	}
	within, own := strings.TrimPrefix(folder, owner+"/"), lastParts(name)
	for i := range files {
		p := files[i].Path
		if owner != "." && !strings.HasPrefix(p, owner+"/") || testFile.MatchString(p) {
			continue
		}
		text := string(files[i].Content)
		//defence:reached-samples-are-judged
		if strings.Contains(text, own) || programFile(files[i]) && sampleFolder.MatchString(name) && strings.Contains(text, within) {
			return false
		}
	}
	return true
}

// ownerAboutSecurity returns dir or the nearest folder above it with a capability that says that
// it is about security, or "".
func ownerAboutSecurity(files []File, dir string) string {
	for ; ; dir = path.Dir(dir) {
		for i := range files {
			if path.Dir(files[i].Path) == dir && strings.EqualFold(path.Base(files[i].Path), "SKILL.md") && aboutSecurity(string(files[i].Content)) {
				return dir
			}
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

// testFile matches the paths of files of tests.
var testFile = expr(`(?i)(?:^|/)(?:tests?|testdata|__tests__|fixtures|__fixtures__)/|(?:^|/)test_[^/]*$|[._-]test\.\w+$`)

// aboutSecurity reports whether the front matter of a SKILL.md names a task of security.
func aboutSecurity(text string) bool {
	return containsAny(strings.ToLower(frontMatter(text)), "secur", "malicious", "malware", "vulnerab", "injection", "threat", "attack", "semgrep", "yara", "detection rule")
}

// frontMatter returns the text between the lines --- with which a SKILL.md begins, or "" if
// the SKILL.md has no front matter.
func frontMatter(text string) string {
	front, _, ok := strings.Cut(strings.TrimPrefix(text, "---"), "\n---")
	if !ok {
		return ""
	}
	return front
}
