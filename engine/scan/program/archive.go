package program

import "strings"

// copied gives a copy the origin of its source.
func (r *trace) copied(args []Value) {
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

// archived follows the files packed into an archive, or into standard output.
func (r *memory) archived(args []Value, input Value) Value {
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

// unpacked remembers the folder into which a fetched archive is unpacked. It reports
// whether the command unpacks one.
func (r *memory) unpacked(name string, args []Value, input Value) bool {
	archive, folder := input, known(".")
	for i, a := range args {
		if stored, ok := r.files[a.Text]; ok && a.Text != "" {
			archive = archive.with(stored)
		}
		switch {
		case (a.Text == "-C" || a.Text == "-d" || a.Text == "--directory") && i+1 < len(args):
			folder = args[i+1]
		case strings.HasPrefix(a.Text, "--directory="):
			folder = known(a.Text[len("--directory="):])
		case strings.HasPrefix(a.Text, "-o") && strings.HasPrefix(name, "7z") && len(a.Text) > 2:
			folder = known(a.Text[2:])
		}
	}
	if !archive.Has(Fetched) || folder.Text == "" || folder.Text == unknown {
		return false
	}
	r.folders[strings.TrimSuffix(folder.Text, "/")] = archive
	return true
}

// within returns the data unpacked into a folder above path.
func (r *memory) within(path string) Value {
	if len(r.folders) == 0 {
		return Value{}
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			if v, ok := r.folders[path[:i]]; ok {
				return v
			}
		}
	}
	return Value{}
}
