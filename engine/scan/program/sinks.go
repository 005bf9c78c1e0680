package program

import "strings"

// runs knows what interprets data as a program, in its own process or another.
func (s *scriptReader) runs(ref string, args []Value) (Value, bool) {
	first := Value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch ref {
	case "print", "console.log", "console.info", "console.error", "process.stdout.write", "sys.stdout.write", "console.debug":
		s.act(Act{Kind: Print, Name: ref, Data: join(" ", args...)})
		return Value{}, true
	case "exec", "eval", "execfile", "Function", "setTimeout", "setInterval", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "code.interact", "types.FunctionType", "runpy.run_path", "InteractiveInterpreter().runsource", "execScript":
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
	case "os.system", "os.popen", "os.popen2", "os.popen3", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput", "commands.getstatusoutput", "child_process.exec", "child_process.execSync", "execSync", "shelljs.exec", "shell.exec",
		"asyncio.create_subprocess_shell", "execaCommand", "execa.command", "execa.commandSync", "posix.system", "nt.system", "platform.popen":
		return s.runShell(ref, first), true
	case "subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_output", "subprocess.check_call", "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "spawn", "spawnSync", "execFile", "execFileSync",
		"asyncio.create_subprocess_exec", "Bun.spawn", "Bun.spawnSync", "Deno.Command", "execa", "execa.execa", "os.execv", "os.execve", "os.execvp", "os.execl", "os.execlp", "os.spawnv", "os.spawnl", "os.spawnvp", "os.posix_spawn", "pty.spawn", "child_process.fork", "os.startfile", "cross-spawn":
		return s.runWords(ref, args), true
	case "importlib.machinery.SourceFileLoader", "importlib.util.spec_from_file_location", "importlib.machinery.SourcelessFileLoader", "SourceFileLoader", "spec_from_file_location", "imp.load_source", "importlib.machinery.ExtensionFileLoader":
		return s.loads(ref, args), true
	}
	if strings.HasSuffix(ref, ".constructor.constructor") || strings.HasSuffix(ref, ".constructor.constructor()") {
		return s.runSource("Function", first), true
	}
	return Value{}, false
}

// loads reports that a module is loaded from a file which the program wrote.
func (s *scriptReader) loads(name string, args []Value) Value {
	for _, a := range args {
		if v, ok := s.files[a.Text]; ok && a.Text != "" && v.Has(Fetched|Decoded) {
			s.act(Act{Kind: Run, Name: name, Data: v, To: a})
		}
	}
	return mixed(args...)
}

// runSource runs data as a program of the same language.
func (s *scriptReader) runSource(name string, v Value) Value {
	s.act(Act{Kind: Run, Name: name, Data: v})
	if v.Known && v.Text != "" {
		s.inner(v.Text, s.lang)
	}
	return mixed(v)
}

// runShell runs data as a command line.
func (s *scriptReader) runShell(name string, v Value) Value {
	return s.runText(name, v, Shell).with(mixed(Value{Origin: v.Origin &^ Fetched &^ Decoded}))
}

// runWords runs a command that is given as words, or as a line if it is one.
func (s *scriptReader) runWords(name string, args []Value) Value {
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
func (s *scriptReader) storage(ref string, recv Value, args []Value) (Value, bool) {
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
	switch strings.TrimPrefix(strings.Replace(ref, "fs/promises.", "fs.", 1), "fs.promises.") {
	case "open", "io.open", "codecs.open", "os.open", "aiofiles.open", "gzip.open":
		out := Value{ref: "open()", items: []Value{first}}
		if !strings.ContainsAny(second.Text, "wax") || strings.Contains(second.Text, "+") {
			out = out.with(s.stored(first))
		}
		return out, true
	case "open().write", "open().writelines":
		if len(recv.items) > 0 {
			s.act(Act{Kind: Write, Name: "write", To: recv.items[0], Data: first})
			s.store(recv.items[0], first)
		}
		return Value{}, true
	case "fs.readFileSync", "fs.readFile", "readFileSync", "readFile", "Deno.readTextFile", "Deno.readFile", "Deno.readTextFileSync", "Bun.file", "sqlite3.connect", "fs.createReadStream", "np.load", "dotenv_values", "dotenv.dotenv_values", "configparser.ConfigParser().read", "fs.openSync":
		return s.stored(first), true
	case "fs.writeFileSync", "fs.writeFile", "writeFileSync", "writeFile", "fs.appendFileSync", "fs.appendFile", "appendFileSync", "appendFile", "Deno.writeTextFile", "Bun.write", "Deno.writeTextFileSync":
		s.act(Act{Kind: Write, Name: ref, To: first, Data: second})
		s.store(first, second)
		return Value{}, true
	case "shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.move", "os.rename", "fs.copyFileSync", "fs.renameSync", "fs.cpSync", "shutil.copytree", "os.symlink", "fs.symlinkSync":
		v := s.stored(first)
		s.act(Act{Kind: Write, Name: ref, To: second, Data: v})
		s.store(second, v)
		return Value{}, true
	case "shutil.make_archive":
		v := Value{}
		for _, a := range args[1:] {
			v = v.with(file(known(a.Text + "/")))
		}
		s.store(first, v)
		return v, true
	case "urllib.request.urlretrieve", "urlretrieve", "wget.download":
		v := mixed(first).from(Fetched, first.Text)
		s.act(Act{Kind: Write, Name: ref, To: second, Data: v})
		s.store(second, v)
		return second, true
	case "io.BytesIO().getvalue", "io.BytesIO().read", "io.StringIO().getvalue", "io.StringIO().read", "io.BytesIO().getbuffer":
		return mixed(recv).with(s.files[recv.buffer]), true
	case "zipfile.ZipFile", "tarfile.open", "py7zr.SevenZipFile":
		return s.archive(first, args), true
	case "archive().write", "archive().add", "archive().writestr", "archive().writeall":
		return s.packed(recv, args), true
	case "load_dotenv", "dotenv.load_dotenv", "dotenv.config":
		return Value{}, true
	}
	if strings.HasPrefix(ref, "open().") {
		return mixed(recv), true
	}
	return Value{}, false
}

// archive is one that is written, known by where it is kept: a path, or what io.BytesIO
// returned.
func (s *scriptReader) archive(first Value, args []Value) Value {
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
func (s *scriptReader) packed(archive Value, args []Value) Value {
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

// stored is what stands in a file, or what the program wrote there.
func (s *scriptReader) stored(path Value) Value {
	if v, ok := s.files[path.Text]; ok && path.Text != "" {
		return v
	}
	out := file(path)
	if path.Text == "/dev/stdin" || path.Text == "0" {
		out.Origin |= Handed
	}
	out.Text, out.Known = "", false
	return out
}

// senders are functions and methods that send what they are given; the word is
// the end of their dotted name, and where the address stands.
var senders = map[string]bool{"requests": true, "httpx": true, "urllib3": true, "aiohttp": true, "axios": true, "got": true, "needle": true, "superagent": true, "ky": true, "node-fetch": true, "undici": true, "request": true, "cloudscraper": true, "http": true, "https": true, "session": true, "phin": true, "bent": true, "curl_cffi": true, "requests_html": true, "grequests": true, "treq": true}

// sends knows what speaks to other machines.
func (s *scriptReader) sends(ref string, args []Value) (Value, bool) {
	root, _, _ := strings.Cut(strings.TrimSuffix(ref, "()"), ".")
	root = strings.TrimSuffix(root, "()")
	method := ref[strings.LastIndexByte(ref, '.')+1:]
	switch ref {
	case "fetch", "urllib.request.urlopen", "urllib.request.Request", "urlopen", "urllib2.urlopen", "urllib.urlopen", "axios", "got", "ky", "node-fetch", "request", "navigator.sendBeacon", "undici.request", "undici.fetch", "$.post", "$.ajax", "GM_xmlhttpRequest", "Request":
		return s.send(ref, args), true
	case "socket.gethostbyname", "socket.getaddrinfo", "dns.resolver.resolve", "dns.resolver.query", "dns.resolve", "dns.lookup", "dns.resolve4", "dns.resolveTxt", "dns.promises.resolve", "dns.promises.lookup", "socket.gethostbyname_ex", "dns/promises.lookup", "dns/promises.resolve":
		name := Value{}
		if len(args) > 0 {
			name = args[0].with(args[1:]...)
		}
		s.act(Act{Kind: Lookup, Name: ref, Data: name})
		return Value{}.from(Fetched, ""), true
	}
	switch method {
	case "get", "head", "options", "stream", "delete", "post", "put", "patch", "request", "urlopen", "Request":
		if senders[root] && root != ref && !(root == "request" && method == "get" && s.lang == Python) {
			if method == "request" && len(args) > 1 && !fields(args[0]) && strings.ToUpper(args[0].Text) == args[0].Text && args[0].Known {
				args = args[1:]
			}
			return s.send(ref, args), true
		}
		if method == "request" && strings.Contains(ref, "HTTPSConnection()") || strings.Contains(ref, "HTTPConnection()") {
			return s.send(ref, args), true
		}
	case "sendall", "sendto", "sendmail", "send_message", "storbinary", "send", "emit", "send_text", "putfo", "upload_file", "put_object", "upload_fileobj", "send_document", "send_file", "sendMessage", "sendMail", "write", "end":
		if strings.Contains(ref, "socket") || strings.Contains(ref, "SMTP") || strings.Contains(ref, "FTP") || strings.Contains(ref, "WebSocket") || strings.Contains(ref, "net.connect") || strings.Contains(ref, "createConnection") || strings.Contains(ref, "websock") || strings.Contains(ref, "paramiko") ||
			strings.Contains(ref, "request()") || strings.Contains(ref, "XMLHttpRequest") || strings.Contains(ref, "boto3") || strings.Contains(ref, "mailer") || strings.Contains(ref, "createTransport") || strings.Contains(ref, "net.Socket") {
			s.act(Act{Kind: Send, Name: ref, To: Value{}, Data: mixed(args...)})
			return Value{}, true
		}
	case "recv", "recvfrom", "makefile":
		if strings.Contains(ref, "socket") {
			return Value{}.from(Fetched, ""), true
		}
	}
	return Value{}, false
}

// send reports a request with its payload and its login.
func (s *scriptReader) send(name string, args []Value) Value {
	var to, payload, login Value
	for i, a := range args {
		switch {
		case a.Key == "url" || a.Key == "uri", i == 0 && (a.Key == "" || a.items != nil):
			to = a
			if a.items != nil && fields(a) {
				to = s.fieldOf(a, "url", "uri", "host", "hostname")
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

func (s *scriptReader) fieldOf(v Value, names ...string) Value {
	for _, item := range v.items {
		if contains(names, item.Key) {
			return item
		}
	}
	return Value{}
}
