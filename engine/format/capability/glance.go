package capability

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Glance reads only what identifies a capability: it decodes SKILL.md and capability.yaml
// without checking them, and looks for code. Its fields are as Load sets them, except
// Suite and HasEvals, which it omits. sound is false if a file is missing or could not be
// decoded completely. It takes about half the time of Load, which matters when all
// capabilities are read.
func Glance(v tree.View, f Folder) (c Capability, sound bool, err error) {
	l := loader{v: v, c: Capability{Folder: f}}
	sound = true
	for _, step := range []func() (bool, error){l.glanceSkill, l.glanceRecord, l.glanceCode} {
		fine, err := step()
		if err != nil {
			return l.c, false, fmt.Errorf("read capability %s: %w", f.Path, err)
		}
		sound = sound && fine
	}
	l.complete()
	return l.c, sound, nil
}

func (l *loader) glanceSkill() (bool, error) {
	src, err := l.read(SkillFile)
	if err != nil || src == nil {
		return false, err
	}
	skill, doc, out := splitSkill(l.at(SkillFile), src)
	if doc != nil {
		doc.Decode(&skill, &out)
	}
	l.c.Skill = skill
	return !out.HasErrors(), nil
}

func (l *loader) glanceRecord() (bool, error) {
	src, err := l.read(RecordFile)
	if err != nil {
		return false, err
	}
	if src == nil {
		l.c.Record = noRecord(l.c.Skill)
		return true, nil
	}
	record, _, _, out := decodeRecord(l.at(RecordFile), src)
	l.c.Record = record
	return !out.HasErrors(), nil
}

// errFound ends a walk that found its target.
var errFound = errors.New("found")

func (l *loader) glanceCode() (bool, error) {
	e, err := l.v.Lookup(l.at(ServerFile))
	if err == nil && e.Mode != tree.Dir {
		l.c.Executable = true
		return true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	e, err = l.v.Lookup(l.at(ScriptsDir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Mode != tree.Dir {
		return true, nil
	}
	if err == nil {
		err = tree.Files(l.v, l.at(ScriptsDir), func(tree.Entry) error { return errFound })
	}
	if errors.Is(err, errFound) {
		l.c.Executable, err = true, nil
	}
	return true, err
}
