package program

import (
	"path"
	"strings"
)

// command reads a run of the program words[0] with standard input input, and returns
// its output.
func (r *reader) command(words []Value, input Value) Value {
	all := words
	words = unwrap(words)
	if len(words) == 0 {
		return Value{}
	}
	defer func(was bool) { r.raised = was }(r.raised)
	r.raised = r.raised || raises(all[:max(0, len(all)-len(words))])
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
	if r.sh.functions[name] {
		out, ok := r.sh.called(name, args, input)
		if !ok {
			out = r.vars[name+"()"]
		}
		return out.with(args...).with(input)
	}
	out := r.perform(name, words[0], args, input)
	out.via = line
	return out
}

// commandLine writes the command in plain spelling, after the command that is piped into it.
func (r *notes) commandLine(name string, words []Value, input Value) string {
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

// wrappers start another program. The number is the number of their own words after
// their options.
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

// raises reports whether a wrapper among words gives the administrator's rights.
func raises(words []Value) bool {
	for _, w := range words {
		if name := path.Base(w.Text); name == "sudo" || name == "doas" {
			return true
		}
	}
	return false
}

// perform reads the effect of a known program on its data.
func (r *reader) perform(name string, program Value, args []Value, input Value) Value {
	switch carriers()[name] {
	case "shell":
		return r.interpreter(name, Shell, args, input, "-c")

	case "python":
		return r.interpreter(name, Python, args, input, "-c")

	case "javascript":
		return r.interpreter(name, JavaScript, args, input, "-e", "--eval", "-p", "-pe", "--print", "eval")

	case "foreign":
		return r.foreign(name, args, input)

	case "windows":
		return r.windows(name, args, input)

	case "eval":
		return r.runText(name, join(" ", args...), Shell)

	case "source":
		if len(args) > 0 {
			r.runFile(name, args[0], Shell)
		}

	case "carry":
		return r.carried(name, args, input)

	case "xargs":
		return r.xargs(args, input)

	case "find":
		return r.find(args)

	case "alias":
		for _, a := range args {
			if k, v, ok := strings.Cut(a.Text, "="); ok {
				body := known(v).with(a)
				r.sh.aliases[k] = body
			}
		}

	case "read":
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
