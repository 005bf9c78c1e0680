package importer

import (
	"fmt"
	"path/filepath"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// judge compares an adapted folder with the known content. An item in StateNew is to be proposed;
// every other is settled.
func (k *known) judge(item Item, f Fitted) (Item, error) {
	key := names.Fold(f.Name)
	if by, taken := k.taken[key]; taken {
		return item.skipFor(RuleTaken, fmt.Sprintf("keep one of the two, or give this one another name in its front matter, such as name: %s", k.free(item, f)),
			"the name %s is taken by %s, which comes before it; names are unique across groups", f.Name, by), nil
	}
	k.taken[key] = item.Path
	if have, ok := k.inForce[key]; ok {
		settled, err := k.againstForce(item, f, have)
		if err != nil || settled.State != StateNew {
			return settled, err
		}
	}
	settled, err := k.againstProposed(item, f)
	if err != nil || settled.State != StateNew {
		return settled, err
	}
	return k.againstGroups(item, f), nil
}

// free suggests a name for a folder whose own is taken: that of the folder, else
// one made of name and group.
func (k *known) free(item Item, f Fitted) string {
	for _, name := range []string{filepath.Base(item.Path), f.Name + "-" + capability.FolderOf(f.Place).Group} {
		key := names.Fold(name)
		if _, inForce := k.inForce[key]; names.IsName(name) && !inForce && k.taken[key] == "" && len(k.proposed[key]) == 0 {
			return name
		}
	}
	return f.Name + "-2"
}

func (k *known) againstForce(item Item, f Fitted, have capability.Folder) (Item, error) {
	there, err := holds(k.cur.View, have.Path, f.Place, f.Edits)
	if err != nil {
		return item, err
	}
	if !there {
		if there, err = k.outgrown(have.Path, f); err != nil {
			return item, err
		}
	}
	switch {
	case there:
		item.State, item.Place, item.Unchanged = StateInForce, have.Path, true
	case have.Path != f.Place:
		newer := "assent propose " + names.ShellWord(item.Path)
		if have.Group != "" {
			newer += " --group " + have.Group
		}
		return item.skipFor(RuleTaken, fmt.Sprintf("if it is a newer version of that one: %s; otherwise give it another name in its front matter, such as name: %s", newer, k.free(item, f)),
			"the name %s is taken by %s, which is in force with other content; names are unique across groups", f.Name, have.Path), nil
	}
	return item, nil
}

func (k *known) againstProposed(item Item, f Fitted) (Item, error) {
	all := k.proposed[names.Fold(f.Name)]
	for _, b := range all {
		same, err := holds(b.view, b.place, f.Place, f.Edits)
		if err != nil {
			return item, err
		}
		if same {
			item.State, item.ID, item.Place, item.Unchanged = StateProposed, b.id, b.place, true
			return item, nil
		}
	}
	if len(all) == 0 {
		return item, nil
	}
	return item.skipFor(RuleProposed, fmt.Sprintf("if this is a newer version of it: assent update %s %s; otherwise give it another name, or assent withdraw %s", names.ShellWord(all[0].id), names.ShellWord(item.Path), names.ShellWord(all[0].id)),
		"the open proposal %s brings %s with other content", all[0].id, all[0].place), nil
}

// againstGroups keeps a group and a capability from sharing one folder, where the
// capability would swallow the group.
func (k *known) againstGroups(item Item, f Fitted) Item {
	at := capability.FolderOf(f.Place)
	switch {
	case at.Group != "" && k.flat[names.Fold(at.Group)]:
		return item.skipFor(RuleGroup, "name another group: --group GROUP", "%s cannot be a group: there is a capability of this name in %s/", at.Group, capability.Root)
	case at.Group == "" && k.groups[names.Fold(at.Name)]:
		return item.skipFor(RuleGroup, "put it into a group: --group GROUP", "%s cannot stand in %s/ itself: there is a group of this name", at.Name, capability.Root)
	}
	k.settle(f.Place)
	return item
}
