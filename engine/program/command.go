package program

import (
	"path"
	"strings"
)

// command runs the program words[0] with what is piped into it, and returns what
// it writes.
func (r *reader) command(words []Value, input Value) Value {
	words = unwrap(words)
	if len(words) == 0 {
		return Value{}
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0].Text, "\\", "/")), ".exe")
	if words[0].Text == "." {
		name = "source"
	}
	args := words[1:]
	line := r.commandLine(name, words, input)
	r.act(Act{Kind: Command, Name: name, Args: args, Input: input})
	if words[0].Has(Fetched|Decoded) && !words[0].Known {
		r.act(Act{Kind: Run, Name: "command", Data: words[0], To: words[0]})
	}
	if r.functions[name] {
		out := r.vars[name+"()"]
		return out.with(args...).with(input)
	}
	out := r.perform(name, words[0], args, input)
	out.via = line
	return out
}

// commandLine writes the command plainly, with what is piped into it in front.
func (r *reader) commandLine(name string, words []Value, input Value) string {
	var b strings.Builder
	if input.via != "" {
		b.WriteString(input.via[max(0, len(input.via)-600):])
		b.WriteString(" | ")
	}
	disguised := input.Disguised
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := w.shown()
		if i == 0 && name != "source" {
			text = strings.TrimSuffix(text, ".exe")
		}
		if strings.ContainsAny(text, " \n\t;|&") {
			text = "'" + text + "'"
		}
		if w.ref == "substituted" {
			text = "<(" + w.via + ")"
		}
		if b.Len() > 4096 {
			break
		}
		b.WriteString(text)
		disguised = disguised || w.Disguised
	}
	line := b.String()
	if r.depth > 0 || disguised || !strings.Contains(r.source[r.at:min(len(r.source), r.end, r.at+8192)], line) {
		r.line(line, disguised)
	}
	return line
}

// wrappers start another program; the number is how many words of their own
// follow their options.
var wrappers = map[string]int{"sudo": 0, "doas": 0, "nohup": 0, "time": 0, "command": 0, "builtin": 0, "exec": 0, "nice": 0, "ionice": 0, "stdbuf": 0, "setsid": 0,
	"timeout": 1, "busybox": 0, "toybox": 0, "unbuffer": 0, "chronic": 0, "env": 0, "caffeinate": 0, "proxychains": 0, "torsocks": 0, "torify": 0, "start": 0}

// withValue are options of wrappers that take a word.
const withValue = " -u -g -n -p -h -C -s -k -i -o -e --user --group --signal -S "

// unwrap removes programs that only start another one.
func unwrap(words []Value) []Value {
	for range 6 {
		if len(words) < 2 {
			return words
		}
		name := path.Base(words[0].Text)
		own, ok := wrappers[name]
		if !ok {
			return words
		}
		rest := words[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0].Text, "-") || name == "env" && strings.Contains(rest[0].Text, "=")) {
			takes := strings.Contains(withValue, " "+rest[0].Text+" ") && !(name == "nice" && rest[0].Text != "-n")
			if name == "env" && (rest[0].Text == "-i" || rest[0].Text == "-S") || name == "sudo" && (rest[0].Text == "-n" || rest[0].Text == "-i" || rest[0].Text == "-s" || rest[0].Text == "-k") || name == "exec" || name == "setsid" {
				takes = false
			}
			if rest = rest[1:]; takes && len(rest) > 0 {
				rest = rest[1:]
			}
		}
		rest = rest[min(own, len(rest)):]
		if len(rest) == 0 {
			return words
		}
		if name == "env" && len(rest) == 1 && rest[0].Known && strings.Contains(rest[0].Text, " ") {
			rest = fieldsOf(rest[0])
		}
		words = rest
	}
	return words
}

// perform does what a known program does to data.
func (r *reader) perform(name string, program Value, args []Value, input Value) Value {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "rbash":
		return r.interpreter(name, Shell, args, input, "-c")
	case "python", "python2", "python3", "pypy", "pypy3", "py":
		return r.interpreter(name, Python, args, input, "-c")
	case "node", "nodejs", "bun", "deno", "tsx":
		return r.interpreter(name, JavaScript, args, input, "-e", "--eval", "-p", "-pe", "--print", "eval")
	case "perl", "ruby", "php", "lua", "osascript", "Rscript", "awk", "gawk":
		return r.foreign(name, args, input)
	case "powershell", "pwsh", "cmd":
		return r.windows(name, args, input)
	case "eval":
		return r.runText(name, join(" ", args...), Shell)
	case "source":
		if len(args) > 0 {
			r.runFile(name, args[0], Shell)
		}
	case "trap", "ssh", "su", "watch", "script", "at", "batch":
		return r.carried(name, args, input)
	case "xargs", "parallel":
		return r.xargs(args, input)
	case "find", "fd":
		return r.find(args)
	case "alias":
		for _, a := range args {
			if k, v, ok := strings.Cut(a.Text, "="); ok {
				body := known(v).with(a)
				r.aliases[k] = body
			}
		}
	case "read", "mapfile", "readarray":
		for _, a := range args {
			if identifier(a.Text) {
				r.set(a.Text, mixed(input))
			}
		}
	default:
		if out, ok := r.network(name, args, input); ok {
			return out
		}
		if out, ok := r.filter(name, args, input); ok {
			return out
		}
		r.runFile(name, program, Shell)
		return mixed(append(args, input)...)
	}
	return Value{}
}

// interpreter runs the program text after flag, the file that is named, or what
// is piped in.
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

func (r *reader) setArguments(args []Value) {
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
	r.last = Value{}
	if v.Text != "" {
		r.inner(v.Text, lang)
	}
	return r.last.with(Value{Origin: v.Origin &^ Fetched &^ Decoded, Names: v.Names})
}

// runFile reports that the file at path is run, with what was written there.
func (r *reader) runFile(name string, path Value, lang Language) {
	if path.Text == "" || path.Text == unknown {
		return
	}
	stored := r.files[path.Text]
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
		return r.command(words, Value{})
	}
	for j, w := range words {
		if strings.Contains(w.Text, mark) {
			filled := known(strings.ReplaceAll(w.Text, mark, piped.shown())).with(w, piped)
			filled.Known = w.Known && piped.Known
			words[j] = filled
		}
	}
	return r.command(words, Value{})
}

// find runs what follows -exec; the files that it finds are where it looks.
func (r *reader) find(args []Value) Value {
	var where Value
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			break
		}
		where = where.with(file(a))
	}
	for i, a := range args {
		if (a.Text == "-name" || a.Text == "-iname" || a.Text == "-path") && i+1 < len(args) {
			where = where.with(file(args[i+1]))
		}
	}
	for i, a := range args {
		if a.Text != "-exec" && a.Text != "-execdir" && a.Text != "-ok" {
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
			r.command(words, Value{})
		}
	}
	return where
}
