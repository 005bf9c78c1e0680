package program

import "strings"

// runs reads functions that interpret data as a program, in their own process or another.
func (s *library) runs(ref string, args []Value) (Value, bool) {
	first := Value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch runners()[ref] {
	case "print":
		s.act(Act{Kind: Print, Name: ref, Data: join(" ", args...)})
		return Value{}, true

	case "source":
		if s.lang == JavaScript && ref == "exec" {
			return s.runShell(ref, first), true
		}
		if ref == "Function" && len(args) > 1 {
			first = args[len(args)-1]
		}
		if (ref == "setTimeout" || ref == "setInterval") && !first.Known {
			return mixed(first), true
		}
		return s.runSource(ref, first), true

	case "shell":
		return s.runShell(ref, first), true

	case "words":
		return s.runWords(ref, args), true

	case "module file":
		return s.loads(ref, args), true
	}
	if strings.HasSuffix(ref, "._compile") {
		return s.runSource("Module._compile", first), true
	}
	if strings.HasSuffix(ref, ".constructor.constructor") || strings.HasSuffix(ref, ".constructor.constructor()") {
		return s.runSource("Function", first), true
	}
	return Value{}, false
}

// loads reports that a module is loaded from a file which the program wrote.
func (s *library) loads(name string, args []Value) Value {
	for _, a := range args {
		if v, ok := s.files[a.Text]; ok && a.Text != "" && v.Has(Fetched|Decoded) {
			s.act(Act{Kind: Run, Name: name, Data: v, To: a})
		}
	}
	return mixed(args...)
}

// runSource runs data as a program of the same language.
func (s *library) runSource(name string, v Value) Value {
	s.act(Act{Kind: Run, Name: name, Data: v})
	if v.Known && v.Text != "" {
		s.inner(v.Text, s.lang)
	}
	return mixed(v)
}

// runShell runs data as a command line.
func (s *library) runShell(name string, v Value) Value {
	return s.runText(name, v, Shell).with(mixed(Value{Origin: v.Origin &^ Fetched &^ Decoded}))
}

// runWords reads a run of a command that is given as words or as one line.
func (s *library) runWords(name string, args []Value) Value {
	var words []Value
	var input Value
	for i, a := range args {
		switch {
		case a.Key == "input" || a.Key == "stdin":
			input = a
		case a.Key != "" && a.items == nil:
		case a.items != nil && i < 2 && (i == 0 || len(words) > 0) && !fields(a):
			words = append(words, a.items...)
		case i == 0:
			words = append(words, a)
		case strings.Contains(name, "exec") && strings.HasPrefix(name, "os.") || strings.HasSuffix(name, "_exec"):
			words = append(words, a)
		case fields(a):
			for _, f := range a.items {
				if f.Key == "args" {
					words = append(words, f.items...)
				}
			}
		}
	}
	if strings.HasPrefix(name, "os.exec") && len(words) > 1 {
		words = words[1:]
	}
	if len(words) == 1 && len(args) > 0 && args[0].items == nil {
		if strings.ContainsAny(words[0].Text, " |;&\n") || words[0].Has(Fetched|Decoded) {
			return s.runText(name, words[0], Shell)
		}
	}
	if len(words) == 0 {
		return mixed(args...)
	}
	s.reader.depth++
	out := s.command(words, input)
	s.reader.depth--
	return out
}

// fields reports whether v is an object rather than a list.
func fields(v Value) bool {
	return len(v.items) > 0 && v.items[0].Key != "" && v.items[0].Key != "tuple"
}

// storage knows reading and writing of files.
func (s *library) storage(ref string, recv Value, args []Value) (Value, bool) {
	if len(args) == 0 && !strings.HasPrefix(ref, "open()") && recv.buffer == "" {
		return Value{}, false
	}
	first, second := Value{}, Value{}
	if len(args) > 0 {
		first = args[0]
	}
	if len(args) > 1 {
		second = args[1]
	}
	name := strings.TrimPrefix(strings.Replace(ref, "fs/promises.", "fs.", 1), "fs.promises.")
	switch fileCalls()[name] {
	case "open":
		out := Value{ref: "open()", items: []Value{first}}
		if !strings.ContainsAny(second.Text, "wax") || strings.Contains(second.Text, "+") {
			out = out.with(s.stored(first))
		}
		return out, true

	case "write opened":
		if len(recv.items) > 0 {
			s.written("write", recv.items[0], first)
			s.store(recv.items[0], first)
		}
		return Value{}, true

	case "read":
		return s.stored(first), true

	case "write":
		s.written(ref, first, second)
		s.store(first, second)
		return Value{}, true

	case "copy":
		v := s.stored(first)
		s.act(Act{Kind: Write, Name: ref, To: second, Data: v})
		s.store(second, v)
		return Value{}, true

	case "pack folder":
		v := Value{}
		for _, a := range args[1:] {
			v = v.with(file(known(a.Text + "/")))
		}
		s.store(first, v)
		return v, true

	case "download":
		v := mixed(first).from(Fetched, first.Text)
		s.act(Act{Kind: Write, Name: ref, To: second, Data: v})
		s.store(second, v)
		return second, true

	case "memory file":
		return mixed(recv).with(s.files[recv.buffer]), true

	case "archive":
		return s.archive(first, args), true

	case "pack":
		return s.packed(recv, args), true

	case "settings":
		return Value{}, true
	}
	if strings.HasPrefix(ref, "open().") {
		return mixed(recv), true
	}
	return Value{}, false
}

// archive returns an archive that is written. Its place identifies it: a path, or the
// result of io.BytesIO.
func (s *library) archive(first Value, args []Value) Value {
	where := first
	for _, a := range args {
		if a.Key == "fileobj" {
			where = a
		}
	}
	if where.buffer != "" {
		where.Text = where.buffer
	}
	return Value{ref: "archive()", items: []Value{where}}
}

// packed adds a file to an archive, and to the variables that hold where it is kept.
func (s *library) packed(archive Value, args []Value) Value {
	if len(archive.items) != 1 || len(args) == 0 {
		return mixed(args...)
	}
	v := s.stored(args[0]).with(mixed(args...))
	v.Text, v.Known = "", false
	if o := file(known(strings.TrimSuffix(args[0].Text, "/") + "/")); o.Origin != 0 && args[0].Text != "" {
		v = v.with(o)
	}
	s.store(archive.items[0], v)
	return v
}

// stored returns the data that the program wrote to path, or else the content of the file.
func (r *memory) stored(path Value) Value {
	if v, ok := r.files[path.Text]; ok && path.Text != "" {
		return v
	}
	out := file(path)
	if path.Text == "/dev/stdin" || path.Text == "0" {
		out.Origin |= Handed
	}
	out.Text, out.Known = "", false
	return out
}

// senders are the libraries and objects whose methods send their arguments, by the root
// of the dotted name.
var senders = map[string]bool{"requests": true, "httpx": true, "urllib3": true, "aiohttp": true, "axios": true, "got": true, "needle": true, "superagent": true, "ky": true, "node-fetch": true, "undici": true, "request": true, "cloudscraper": true, "http": true, "https": true, "session": true, "phin": true, "bent": true, "curl_cffi": true, "requests_html": true, "grequests": true, "treq": true}

// sends reads functions that speak to other machines.
func (s *library) sends(ref string, args []Value) (Value, bool) {
	root, _, _ := strings.Cut(strings.TrimSuffix(ref, "()"), ".")
	root = strings.TrimSuffix(root, "()")
	method := ref[strings.LastIndexByte(ref, '.')+1:]
	switch requests()[ref] {
	case "request":
		return s.send(ref, args), true

	case "lookup":
		name := Value{}
		if len(args) > 0 {
			name = args[0].with(args[1:]...)
		}
		s.act(Act{Kind: Lookup, Name: ref, Data: name})
		return Value{}.from(Fetched, ""), true
	}
	switch sendMethods()[method] {
	case "request":
		if senders[root] && root != ref && !(root == "request" && method == "get" && s.lang == Python) {
			if method == "request" && len(args) > 1 && !fields(args[0]) && strings.ToUpper(args[0].Text) == args[0].Text && args[0].Known {
				args = args[1:]
			}
			return s.send(ref, args), true
		}
		if method == "request" && strings.Contains(ref, "HTTPSConnection()") || strings.Contains(ref, "HTTPConnection()") {
			return s.send(ref, args), true
		}

	case "send":
		if strings.Contains(ref, "socket") || strings.Contains(ref, "SMTP") || strings.Contains(ref, "FTP") || strings.Contains(ref, "WebSocket") || strings.Contains(ref, "net.connect") || strings.Contains(ref, "createConnection") || strings.Contains(ref, "websock") || strings.Contains(ref, "paramiko") ||
			strings.Contains(ref, "request()") || strings.Contains(ref, "XMLHttpRequest") || strings.Contains(ref, "boto3") || strings.Contains(ref, "mailer") || strings.Contains(ref, "createTransport") || strings.Contains(ref, "net.Socket") {
			s.act(Act{Kind: Send, Name: ref, To: Value{}, Data: mixed(args...)})
			return Value{}, true
		}

	case "receive":
		if strings.Contains(ref, "socket") {
			return Value{}.from(Fetched, ""), true
		}
	}
	return Value{}, false
}

// send reports a request with its payload and its login.
func (s *library) send(name string, args []Value) Value {
	var to, payload, login Value
	for i, a := range args {
		switch {
		case a.Key == "url" || a.Key == "uri", i == 0 && (a.Key == "" || a.items != nil):
			to = a
			if a.items != nil && fields(a) {
				to = fieldOf(a, "url", "uri", "host", "hostname")
				payload = payload.with(a.only(^Environment | a.Origin))
			}
		case loginKey(a.Key), a.Key == "token":
			login = login.with(a)
			login.Logins = addNames(login.Logins, a.Names)
		case a.Key == "timeout" || a.Key == "verify" || a.Key == "proxies" || a.Key == "context":
		default:
			if a.buffer != "" {
				a = a.with(s.files[a.buffer])
			}
			payload = payload.and(a)
		}
	}
	for _, f := range to.items {
		if f.Key == "data" {
			payload = payload.with(f)
		}
	}
	// A Request that was made before carries its payload along.
	payload = payload.with(urlPart(to))
	login.Logins = addNames(login.Logins, payload.Logins)
	if payload.Origin != 0 || login.Has(Environment|KeyFile|Private) {
		s.act(Act{Kind: Send, Name: name, To: to, Data: payload.with(login.only(Environment | KeyFile | Private))})
	} else if strings.HasSuffix(name, "post") || strings.HasSuffix(name, "put") {
		s.act(Act{Kind: Send, Name: name, To: to, Data: payload})
	}
	if len(login.Logins) > 0 {
		s.act(Act{Kind: Send, Name: name, To: to, Data: Value{Origin: Secret, Names: login.Logins, Login: true}})
	}
	out := Value{}.from(Fetched, to.Text)
	if strings.HasSuffix(name, "Request") {
		out = payload
		out.Text, out.Known = to.Text, false
		out.ref = ""
	}
	return out
}

func fieldOf(v Value, names ...string) Value {
	for _, item := range v.items {
		if contains(names, item.Key) {
			return item
		}
	}
	return Value{}
}
