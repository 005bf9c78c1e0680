package program

import (
	"regexp"
	"strings"
	"sync"
)

// late returns an expression that is compiled when it is first needed: most programs that
// use this package read none of these languages.
func late(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// outline reads Ruby, Perl, PHP, PowerShell and compiled languages by their statements: which
// variables a statement mentions, which data it fetches or decodes, and which it runs, sends or
// writes. It builds no syntax tree and ignores blocks, classes and types.
type outline struct {
	*reader
	lang Language
	// fixed are variables of one constant text.
	fixed map[string]Value
	// params are the parameters of functions, by the functions' names.
	params map[string][]string
	// function is the one whose statements are being read.
	function string
	// header is the value that the statement before passes to its block.
	header Value
}

// maxOutline bounds the statements that are read of one program.
const maxOutline = 4000

// outlined reads text as a program of one of these languages. The first two passes
// learn the values of variables and functions; the third reports acts.
func (r *reader) outlined(text string, lang Language) {
	silent := r.silent
	o := &outline{reader: r, lang: lang, fixed: map[string]Value{}, params: map[string][]string{}}
	if lang == Perl {
		text = beforeEnd(text)
	}
	if !containsAny(strings.ToLower(text), triggers...) {
		return
	}
	list := statements(text, lang)
	if len(list) > maxOutline {
		list, r.out.Broken = list[:maxOutline], true
	}
	at, end := r.at, r.end
	for pass := range 3 {
		r.silent = silent || pass < 2
		o.function, o.header = "", Value{}
		for _, s := range list {
			if r.depth == 0 {
				r.at, r.end = s.start, s.end
			}
			o.statement(text[s.start:s.end])
		}
	}
	r.silent, r.at, r.end = silent, at, end
}

// phrase is a statement with its constants put together.
type phrase struct {
	text, lower string
	// value has the origins of everything in the statement.
	value Value
}

// triggers are lower-case words. Every statement that uses outside data or another
// program contains at least one of them.
var triggers = []string{"http", "eval", "exec", "system", "env", "decode", "encode", "pack", "load", "require", "include", "assert", "create_function", "open", "spawn", "capture", "qx", "`", "%x", "iex", "invoke", "scriptblock", "add-type", "start", "& ", "&(", "do $", "call_user", "serialize",
	"socket", "recv", ".gets", "curl", "getstore", "->get", "->mirror", "irm ", "iwr ", "getstring", "getbyte", "bitstransfer", "responsetext", "gzinflate", "gzun", "gzde", "gzcomp", "zlib", "inflate", "hex2bin", "rot13", "uncompress", "uudecode", "convertto-secure", "base64", "compression.", "hexstring", "bin2hex", "openssl",
	"$_", "php:", "getallheaders", "hostname", "getlogin", "uname", "get_current_user", "whoami", "computername", "clipboard", "pbpaste", "xclip", "wl-paste", "copyfromscreen", "screencapture", "getasynckey", "post", ".request", ".body", "set_form", "sendmail", "mail", "->put", "->send", "->request", "print", "fwrite", "fputs", "-body", "-infile", "upload",
	"resolv", "dns", "gethostby", "inet_aton", "addrinfo", "ping", "test-connection", "->search", "->query", "file", "io.", "dir.", "glob", "find.", "slurp", "scandir", "content", "gc ", "cat ", "childitem", "item", "archive", "entries", "<$", "copy", "rename", "writeall", "appendall", "ac ", "sc ", "dial", "readall", "read_to_string", "command", "process", "lookup", "popen", "proc", "$profile", "chr", "[char]", "strrev", "reverse"}

// beforeEnd returns a Perl program up to its __END__ or __DATA__ mark.
func beforeEnd(text string) string {
	for _, mark := range []string{"\n__END__", "\n__DATA__"} {
		if i := strings.Index(text, mark); i >= 0 {
			text = text[:i]
		}
	}
	return text
}

func (o *outline) statement(source string) {
	// source begins with the separator that ended the statement before.
	between := ";{}"
	if o.lang == Ruby {
		between = ";"
	}
	if bare := strings.TrimLeft(source, " \t"); bare != "" && strings.Contains(between, bare[:1]) {
		source = bare[1:]
	}
	text, hid := o.fold(source)
	p := phrase{text: text, lower: strings.ToLower(text)}
	dull := !hid && !containsAny(p.lower, triggers...)
	if dull && len(o.vars) == 0 {
		if !o.defines(text) {
			o.assigns(p)
			o.header = Value{}
		}
		return
	}
	p.value = o.origins(text)
	p.value.Disguised = p.value.Disguised || hid
	if o.defines(text) {
		return
	}
	o.calls(p)
	if !dull || p.value.Origin != 0 {
		o.runs(p, hid)
		o.leaves(p)
		o.writes(p)
	}
	o.assigns(p)
	o.header = p.value
}

// definitions begin functions; the groups are a name and its parameters.
var definitions = map[Language]func() *regexp.Regexp{
	Ruby:       late(`^\s*def\s+(?:self\.)?(\w+)[?!]?\s*\(?([^)\n]*)`),
	Perl:       late(`^\s*sub\s+(\w+)()`),
	PHP:        late(`^\s*(?:(?:public|private|protected|static)\s+)*function\s+(\w+)\s*\(([^)]*)`),
	PowerShell: late(`(?i)^\s*function\s+([\w-]+)\s*\(?([^)]*)`),
	Compiled:   late(`^\s*(?:(?:pub|public|private|internal|protected|static|final|override|suspend|async)\s+)*(?:func|fun|fn|def)\s+(?:\([^)]*\)\s*)?(\w+)\s*\(([^)]*)`),
}

// defines notes a function and its parameters.
func (o *outline) defines(text string) bool {
	if !containsAny(text, "def ", "sub ", "unction ", "func ", "fun ", "fn ") {
		return false
	}
	m := definitions[o.lang]().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	o.function = strings.ToLower(m[1])
	var names []string
	for _, part := range strings.Split(m[2], ",") {
		if name := firstName().FindString(part); name != "" {
			names = append(names, o.key(name))
		}
	}
	if len(o.params) < maxItems {
		o.params[o.function] = names
	}
	// A function of one line has its result beside its head: def f(x) = y.
	if _, body, ok := strings.Cut(text, ") ="); ok && o.lang == Ruby {
		o.set(o.function+"()", o.origins(body))
	}
	return true
}

var firstName = late(`[$@%]?[A-Za-z_]\w*`)

// key returns the name of a variable without its sigil.
func (o *outline) key(name string) string {
	name = strings.TrimLeft(name, "$@%&{")
	if o.lang == PowerShell {
		return strings.ToLower(name)
	}
	return name
}

func (o *outline) set(name string, v Value) {
	if len(o.vars) < maxItems && (v.Origin != 0 || v.Disguised) {
		o.vars[name] = o.vars[name].with(v)
	}
}

// calledName matches a call of a function by its name.
var calledName = late(`([A-Za-z_][\w-]*)[?!]?(?:\s*\(|\s+[$@"'(\w])`)

// calls passes the data that a statement mentions after a function's name to its parameters.
func (o *outline) calls(p phrase) {
	if len(o.params) == 0 || p.value.Origin == 0 {
		return
	}
	for _, loc := range calledName().FindAllStringSubmatchIndex(p.text, 40) {
		name := strings.ToLower(p.text[loc[2]:loc[3]])
		names, ok := o.params[name]
		if !ok {
			continue
		}
		args := o.origins(p.text[loc[3]:])
		o.set(name+"@", args)
		for _, n := range names {
			o.set(n, args)
		}
	}
}
