package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// offer is a visitor's content: how to lay it out, and the arguments to propose it.
type offer struct {
	lay     []act
	propose []string // the arguments after `assent propose`
}

// visitorSkill reads the folder of --skill. nil means that there is none.
func visitorSkill(dir string) (*offer, error) {
	if dir == "" {
		return nil, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", dir, err)
	}
	if !isSkillFolder(abs) {
		return nil, badInput("name a folder with a SKILL.md: assent demo --skill DIR", "%s is not a skill's folder: it holds no SKILL.md", dir)
	}
	return &offer{propose: []string{abs}}, nil
}

func isSkillFolder(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), names.SkillFile) })
}

// maxPoison bounds a file that is copied as it is.
const maxPoison = 8 << 20

// visitorPoison reads the content of --poison: a skill's folder, a SKILL.md, a draft, a program,
// or any text. nil means that there is none.
func visitorPoison(path string) (*offer, error) {
	if path == "" {
		return nil, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return nil, badInput("name a file that can be read: assent demo --poison FILE", "what shall be refused cannot be read: %v", err)
	case info.IsDir() && isSkillFolder(abs):
		return &offer{propose: []string{abs}}, nil
	case !info.Mode().IsRegular():
		return nil, badInput("name a file, or a folder with a SKILL.md: assent demo --poison FILE", "%s is neither a file nor a skill's folder", path)
	case info.Size() > maxPoison:
		return nil, badInput("name a smaller file", "%s is larger than %d MiB", path, maxPoison>>20)
	}
	src, err := os.ReadFile(abs)
	if err != nil {
		return nil, badInput("name a file that can be read: assent demo --poison FILE", "what shall be refused cannot be read: %v", err)
	}
	return layOut(abs, src), nil
}

// programs are the endings of files that a skill carries below scripts/.
var programs = []string{".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".ps1", ".rb", ".pl"}

// visitorsDir is where a visitor's file is laid out, apart from the demo's own.
const visitorsDir = "../drafts/visitor/"

// layOut makes a proposal of one file of any kind.
func layOut(path string, src []byte) *offer {
	drafted, diags := proposal.ParseDraft(path, src)
	if !diags.HasErrors() && drafted.Proposal.Goal != "" {
		return &offer{propose: []string{"-f", path}}
	}
	if own := nameOf(src); own != "" {
		dir := visitorsDir + names.Suggest(own)
		return &offer{lay: []act{addition{path, dir + "/" + names.SkillFile}}, propose: []string{dir}}
	}
	name := names.Suggest(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	dir := visitorsDir + name
	head := "---\nname: " + name + "\ndescription: Carries a visitor's file into the demo. Use when trying out what the gate says to it.\n---\n# " + name + "\n\n"
	if slices.Contains(programs, strings.ToLower(filepath.Ext(path))) {
		script := "scripts/" + strings.ToLower(filepath.Base(path))
		return &offer{lay: []act{
			file{dir + "/" + names.SkillFile, head + "Run `" + script + "`.\n"},
			addition{path, dir + "/" + script},
		}, propose: []string{dir}}
	}
	return &offer{lay: []act{
		file{dir + "/" + names.SkillFile, head},
		addition{path, dir + "/" + names.SkillFile},
	}, propose: []string{dir}}
}

// nameOf reads the name in the front matter of a SKILL.md, roughly: whether it is
// right is for the gate to say.
func nameOf(src []byte) string {
	first, rest, _ := strings.Cut(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	if strings.TrimRight(first, " ") != "---" {
		return ""
	}
	for l := range strings.Lines(rest) {
		if strings.HasPrefix(l, "---") {
			break
		}
		if name, ok := strings.CutPrefix(l, "name:"); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}
