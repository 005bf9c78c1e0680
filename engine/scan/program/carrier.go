package program

import "strings"

// windows reads PowerShell's and cmd's ways to be handed a program.
func (r *reader) windows(name string, args []Value, input Value) Value {
	for i, a := range args {
		flag := strings.ToLower(a.Text)
		if i+1 == len(args) {
			break
		}
		switch {
		case len(flag) >= 2 && strings.HasPrefix("-encodedcommand", flag) && flag != "-ex", flag == "-ec":
			v := decode(args[i+1], decodeBase64)
			v.Text = strings.ReplaceAll(v.Text, "\x00", "")
			r.act(Act{Kind: Run, Name: name, Data: v})
			r.line(v.Text, true)
			return Value{}
		case flag == "-c", flag == "-command", flag == "/c", flag == "/k":
			v := join(" ", args[i+1:]...)
			r.act(Act{Kind: Run, Name: name, Data: v})
			r.line(v.Text, v.Disguised)
			if name == "cmd" {
				r.inner(v.Text, Shell)
			}
			return mixed(v)
		}
	}
	if input.Origin != 0 || input.Text != "" {
		r.act(Act{Kind: Run, Name: name, Data: input})
	}
	return mixed(append(args, input)...)
}

// carried runs the command that another program is handed as one word or as its
// last words.
func (r *reader) carried(name string, args []Value, input Value) Value {
	var rest []Value
	for i := 0; i < len(args); i++ {
		if a := args[i].Text; strings.HasPrefix(a, "-") && len(rest) == 0 {
			if a == "-c" && i+1 < len(args) {
				return r.runText(name, args[i+1], Shell)
			}
			if len(a) == 2 && strings.Contains("pinoFLRDlJWbS", a[1:]) {
				i++
			}
			continue
		}
		rest = append(rest, args[i])
	}
	switch {
	case name == "trap" && len(rest) > 0:
		return r.runText(name, rest[0], Shell)
	case name == "ssh" && len(rest) > 1:
		r.act(Act{Kind: Send, Name: name, To: rest[0], Data: input.with(rest[1:]...)})
		r.inner(join(" ", rest[1:]...).Text, Shell)
		return mixed(rest[1:]...)
	case name == "ssh" && len(rest) == 1 && input.Origin != 0:
		r.act(Act{Kind: Send, Name: name, To: rest[0], Data: input})
	case name == "watch" && len(rest) > 0:
		r.inner(join(" ", rest...).Text, Shell)
	case (name == "at" || name == "batch") && input.Text != "":
		return r.runText(name, input, Shell)
	}
	return mixed(input)
}

func (r *reader) xargs(args []Value, input Value) Value {
	var mark string
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].Text, "-"); i++ {
		a := args[i].Text
		switch {
		case a == "-I" && i+1 < len(args):
			mark = args[i+1].Text
			i++
		case strings.HasPrefix(a, "-I"):
			mark = a[2:]
		case a == "-n" || a == "-P" || a == "-L" || a == "-d" || a == "-s":
			i++
		}
	}
	words := append([]Value{}, args[min(i, len(args)):]...)
	if len(words) == 0 {
		return input
	}
	piped := input
	piped.Text = strings.TrimSpace(piped.Text)
	if mark == "" {
		if piped.Known && piped.Text != "" {
			words = append(words, fieldsOf(piped)...)
		} else {
			words = append(words, piped)
		}
		return r.carry(words)
	}
	for j, w := range words {
		if strings.Contains(w.Text, mark) {
			filled := known(strings.ReplaceAll(w.Text, mark, piped.shown())).with(w, piped)
			filled.Known = w.Known && piped.Known
			words[j] = filled
		}
	}
	return r.carry(words)
}

// carry reads a command that another one runs from its own words. They count as text that is read
// again, and commands that run commands are followed to a bounded depth: without both, a line of
// xargs or find is read once for each of its words, or twice for each.
func (r *reader) carry(words []Value) Value {
	size := 0
	for _, w := range words {
		size += len(w.Text) + 1
	}
	if r.carrying >= maxDepth || size > r.nested {
		r.out.Broken = true
		return mixed(words...)
	}
	r.nested -= size
	r.carrying++
	defer func() { r.carrying-- }()
	return r.command(words, Value{})
}

// find reads the command after -exec. The files that it finds are those of its folders.
func (r *reader) find(args []Value) Value {
	var where Value
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			break
		}
		where = where.with(file(a))
	}
	for i, a := range args {
		if (a.Text == "-name" || a.Text == "-iname" || a.Text == "-path") && i+1 < len(args) && (i == 0 || args[i-1].Text != "-not" && args[i-1].Text != "!") {
			where = where.with(file(args[i+1]))
		}
	}
	for i := 0; i < len(args); i++ {
		if a := args[i].Text; a != "-exec" && a != "-execdir" && a != "-ok" {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && args[end].Text != "+" {
			end++
		}
		words := append([]Value{}, args[i+1:end]...)
		for j, w := range words {
			if !strings.Contains(w.Text, "{}") {
				continue
			}
			path := "{}"
			if where.Has(KeyFile) && len(where.Names) > 0 {
				path = "~/.ssh/" + where.Names[0]
			}
			words[j] = Value{Text: strings.ReplaceAll(w.Text, "{}", path)}.with(w, where)
		}
		if len(words) > 0 {
			r.carry(words)
		}
		i = end // what stands before belongs to the command
	}
	return where
}
