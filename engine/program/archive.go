package program

import "strings"

// copied gives a copy the origin of what it was copied from.
func (r *reader) copied(args []Value) {
	var paths []Value
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			paths = append(paths, a)
		}
	}
	if len(paths) < 2 {
		return
	}
	to := paths[len(paths)-1]
	for _, p := range paths[:len(paths)-1] {
		v, ok := r.files[p.Text]
		if !ok {
			v = file(p)
		}
		r.act(Act{Kind: Write, Name: "cp", To: to, Data: v})
		if ok || v.Origin != 0 {
			r.store(to, v)
			r.store(known(to.Text+"/"+p.Text[strings.LastIndexByte(p.Text, '/')+1:]), v)
		}
	}
}

// archived follows what is packed into an archive, or into standard output.
func (r *reader) archived(args []Value, input Value) Value {
	out := mixed(input)
	var target Value
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.Text, "-") && len(a.Text) > 1, i == 0 && !strings.Contains(a.Text, "/") && !strings.Contains(a.Text, "."):
			continue
		case target.Text == "":
			target = a
		}
		stored, ok := r.files[a.Text]
		if !ok {
			stored = file(known(strings.TrimPrefix(a.Text, "~/") + "/").with(a))
			stored = stored.with(file(a))
		}
		out = out.with(stored)
	}
	if target.Text != "" && out.Origin != 0 {
		r.store(target, out)
		for _, a := range args {
			// split writes pieces that begin with its last word.
			if !strings.HasPrefix(a.Text, "-") && strings.HasPrefix(a.Text, "/") {
				r.store(a, out)
				r.store(known(a.Text+"*"), out)
			}
		}
	}
	return out
}
