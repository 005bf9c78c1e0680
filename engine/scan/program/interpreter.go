package program

import "strings"

// interpreter reads a run of the program text after a flag, of the named file, or of
// the piped input.
func (r *reader) interpreter(name string, lang Language, args []Value, input Value, flags ...string) Value {
	for i, a := range args {
		for _, f := range flags {
			same := a.Text == f || f == "-c" && strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.HasSuffix(a.Text, "c") && len(a.Text) < 6
			if same && i+1 < len(args) {
				for n, p := range args[i+2:] {
					if n < 9 && lang == Shell {
						r.vars[string(rune('0'+n))] = p
					}
				}
				return r.runText(name, args[i+1], lang)
			}
		}
		if a.Text == "-m" && lang == Python {
			return mixed(append(args, input)...)
		}
		if strings.HasPrefix(a.Text, "-") && a.Text != "-" || a.Text == "run" {
			continue
		}
		if a.Text == "-" || a.Text == "/dev/stdin" {
			break
		}
		if a.ref == "substituted" {
			return r.runText(name, a, lang)
		}
		if lang == Shell {
			r.setArguments(args[i+1:])
		}
		r.runFile(name, a, lang)
		return mixed(input).with(args[i+1:]...)
	}
	if input.Text != "" || input.Origin != 0 || input.via != "" {
		return r.runText(name, input, lang)
	}
	return Value{}
}

func (r *memory) setArguments(args []Value) {
	for n, p := range args {
		if n < 9 {
			if _, ok := r.vars[string(rune('1'+n))]; !ok {
				r.vars[string(rune('1'+n))] = p
			}
		}
	}
}

// runText reports that v is run as a program, and reads it where it is known.
func (r *reader) runText(name string, v Value, lang Language) Value {
	r.act(Act{Kind: Run, Name: name, Data: v})
	r.sh.last = Value{}
	if v.Text != "" {
		was := r.inserted
		r.inserted = insertedInto(v)
		r.inner(v.Text, lang)
		r.inserted = was
	}
	return r.sh.last.with(Value{Origin: v.Origin &^ Fetched &^ Decoded, Names: v.Names})
}

// insertedInto returns the value of the unknown parts of a command line that a program
// builds. With several unknown parts, a key may be in any of them, including a login.
// A Secret therefore counts only if there is one unknown part.
func insertedInto(v Value) Value {
	kept := KeyFile | Environment | Private | Account | Machine
	if strings.Count(v.Text, unknown) == 1 {
		kept |= Secret
	}
	return v.only(kept)
}

// runFile reports that the file at path is run, with the data written to it.
func (r *reader) runFile(name string, path Value, lang Language) {
	if path.Text == "" || path.Text == unknown {
		return
	}
	stored, ok := r.files[path.Text]
	if !ok {
		stored = r.within(path.Text)
	}
	if stored.Text == "" && stored.Origin == 0 && !strings.ContainsAny(path.Text, "/\\") && name == path.Text {
		return
	}
	r.act(Act{Kind: Run, Name: name, Data: stored, To: path})
	if stored.Known && stored.Text != "" {
		r.inner(stored.Text, lang)
	}
}

// foreign runs languages that are not read further.
func (r *reader) foreign(name string, args []Value, input Value) Value {
	for i, a := range args {
		if (a.Text == "-e" || a.Text == "-r" || a.Text == "-E" || a.Text == "-ne" || a.Text == "-pe") && i+1 < len(args) {
			code := args[i+1]
			r.act(Act{Kind: Run, Name: name, Data: code})
			r.shellStrings(code)
			return mixed(code, input)
		}
	}
	if name == "awk" || name == "gawk" {
		for _, a := range args {
			r.shellStrings(a)
		}
		return mixed(append(args, input)...)
	}
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			r.runFile(name, a, Shell)
			return mixed(input)
		}
	}
	if input.Text != "" || input.Origin != 0 {
		r.act(Act{Kind: Run, Name: name, Data: input})
	}
	return Value{}
}

// shellStrings reads the strings of a program in another language that start
// commands: system("..."), exec '...', do shell script "...", `...`.
func (r *reader) shellStrings(code Value) {
	text := code.Text
	for _, word := range []string{"system", "exec", "do shell script", "popen", "passthru", "qx", "`"} {
		i := strings.Index(text, word)
		if i < 0 {
			continue
		}
		rest := text[i+len(word):]
		if word == "`" {
			rest = "`" + rest
		}
		j := strings.IndexAny(rest, "\"'`{")
		if j < 0 || j > 3 {
			continue
		}
		closing := strings.Replace(rest[j:j+1], "{", "}", 1)
		if k := strings.Index(rest[j+1:], closing); k > 0 {
			r.inner(rest[j+1:j+1+k], Shell)
		}
	}
}
