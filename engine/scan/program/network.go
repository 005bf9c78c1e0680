package program

import "strings"

// network reads programs that speak to other machines. It reports whether name is
// such a program.
func (r *trace) network(name string, args []Value, input Value) (Value, bool) {
	switch networkPrograms()[name] {
	case "transfer":
		return r.transfer(name, args, input), true

	case "connect":
		to := mixed(args...)
		to.Text = firstHost(args)
		r.act(Act{Kind: Send, Name: name, To: to, Data: input.with(args...)})
		return Value{}.from(Fetched, "nc "+to.Text), true

	case "lookup":
		r.act(Act{Kind: Lookup, Name: name, Data: join(" ", args...).with(input)})
		return Value{}.from(Fetched, ""), true

	case "copy":
		args = withoutKeys(name, included(args))
		if !takesAway(args) {
			r.act(Act{Kind: Send, Name: name, To: remoteOf(args), Data: mixed(filesOf(args)...).with(input)})
		}
		return Value{}, true

	case "mail":
		r.act(Act{Kind: Send, Name: name, To: mixed(args...), Data: input.with(filesOf(args)...)})
		return Value{}, true

	case "cloud":
		args = included(args)
		if secret, ok := storedSecret(name, args); ok {
			return secret, true
		}
		if takesAway(args) {
			return mixed(input), true
		}
		if containsArg(args, "cp") || containsArg(args, "sync") || containsArg(args, "gist") || containsArg(args, "upload") || containsArg(args, "put-object") || containsArg(args, "add") {
			r.act(Act{Kind: Send, Name: name, To: remoteOf(args), Data: mixed(filesOf(args)...).with(input)})
		}
		return mixed(input), true
	}
	return Value{}, false
}

// withoutKeys drops the options by which a copying program names files for its own use: with "-i key",
// the key stays here.
func withoutKeys(name string, args []Value) []Value {
	flags := ""
	switch name {
	case "scp", "sftp":
		flags = " -i -F -o -S -J "
	case "rsync":
		flags = " -e --rsh --password-file "
	}
	var out []Value
	for i := 0; i < len(args); i++ {
		if args[i].Text != "" && strings.Contains(flags, " "+args[i].Text+" ") {
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// included drops the exclusion patterns: they name files that no command reads.
func included(args []Value) []Value {
	var out []Value
	for i := 0; i < len(args); i++ {
		switch args[i].Text {
		case "--exclude", "--iexclude", "--exclude-from", "--exclude-file", "--ignore":
			i++
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// takesAway reports whether a command that copies brings files from another machine to this
// one: its last word is a path here, and one before it is not.
func takesAway(args []Value) bool {
	var paths []Value
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			paths = append(paths, a)
		}
	}
	if len(paths) < 2 {
		return false
	}
	here := paths[len(paths)-1].Text
	if here == "" || strings.ContainsAny(here, ":@") || strings.HasPrefix(here, "$") || strings.HasPrefix(here, unknown) {
		return false
	}
	for _, p := range paths[:len(paths)-1] {
		if strings.Contains(p.Text, ":") {
			return true
		}
	}
	return false
}

// storedSecret returns the secret that a command of a cloud's or cluster's client prints.
func storedSecret(name string, args []Value) (Value, bool) {
	var words []string
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			words = append(words, a.Text)
		}
	}
	line := name + " " + strings.Join(words, " ") + " "
	for command, secret := range secretCommands {
		if !strings.HasPrefix(line, command+" ") {
			continue
		}
		if secret == "KUBE_SECRET" && (containsArg(args, "-A") || containsArg(args, "--all-namespaces")) {
			return Value{}.from(KeyFile, "secrets of the cluster"), true
		}
		return Value{}.from(Secret, secret), true
	}
	return Value{}, false
}

// secretCommands are beginnings of commands that show a secret, and how it is named; the
// name says whose hosts may have it.
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var secretCommands = map[string]string{
	"kubectl get secret": "KUBE_SECRET", "kubectl get secrets": "KUBE_SECRET", "oc get secret": "KUBE_SECRET", "oc get secrets": "KUBE_SECRET", "kubectl create token": "KUBE_TOKEN",
	"aws secretsmanager get-secret-value": "AWS_SECRET", "aws ssm get-parameter": "AWS_SECRET", "aws ecr get-login-password": "AWS_PASSWORD", "aws configure get": "AWS_SECRET",
	"gcloud secrets versions access": "GOOGLE_SECRET", "gcloud auth print-access-token": "GOOGLE_TOKEN", "gcloud auth print-identity-token": "GOOGLE_TOKEN",
	"az keyvault secret show": "AZURE_SECRET", "az account get-access-token": "AZURE_TOKEN", "gh auth token": "GITHUB_TOKEN",
}

func firstHost(args []Value) string {
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") && strings.ContainsAny(a.Text, ".:") {
			return a.Text
		}
	}
	return ""
}

func remoteOf(args []Value) Value {
	for i := len(args) - 1; i >= 0; i-- {
		if strings.Contains(args[i].Text, ":") || strings.Contains(args[i].Text, "@") {
			return args[i]
		}
	}
	return Value{}
}

// transferred holds the arguments of a download command.
type transferred struct {
	url, body Value
	login     Value
	output    Value
	remote    bool // stores under the name that the address ends with
	sends     bool
}

// transfer reads the words of curl, wget and their like.
func (r *trace) transfer(name string, args []Value, input Value) Value {
	t := r.transferWords(name, args, input)
	payload := t.body.with(urlPart(t.url))
	if t.sends || t.url.Origin&^Fetched&^Decoded != 0 || t.login.Origin&(Environment|KeyFile|Private) != 0 {
		r.act(Act{Kind: Send, Name: name, To: t.url, Data: payload.with(t.login.only(Environment | KeyFile | Private))})
	}
	if t.login.Has(Secret) {
		login := t.login
		login.Login = true
		r.act(Act{Kind: Send, Name: name, To: t.url, Data: login})
	}
	fetched := Value{}.from(Fetched, "")
	fetched.Names = addNames(nil, []string{t.url.Text})
	if t.remote {
		if i := strings.LastIndexByte(t.url.Text, '/'); i > 8 && t.output.Text == "" {
			base := t.url.Text[i+1:]
			if j := strings.IndexAny(base, "?#"); j >= 0 {
				base = base[:j]
			}
			t.output = known(base)
			r.store(known("./"+base), fetched)
		}
	}
	if t.output.Text != "" && t.output.Text != "-" {
		r.act(Act{Kind: Write, Name: name, To: t.output, Data: fetched})
		r.store(t.output, fetched)
		if !strings.Contains(t.output.Text, "/") {
			r.store(known("./"+t.output.Text), fetched)
		}
		return Value{}
	}
	return fetched
}

// urlPart returns the data that an address carries away: the secrets in it.
func urlPart(u Value) Value {
	return u.only(Secret | Environment | KeyFile | Private | Encoded | Identity | Account | Machine)
}

// only keeps the origins in o.
func (v Value) only(o Origin) Value {
	out := Value{Origin: v.Origin & o, Disguised: v.Disguised, Logins: v.Logins}
	if out.Origin != 0 {
		out.Names = v.Names
	}
	return out
}

const (
	bodyFlags   = " -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string --post-data --body-data -Body "
	fileFlags   = " -T --upload-file --post-file --body-file -InFile "
	outputFlags = " -o --output --output-document -OutFile "
	loginFlags  = " -H --header -u --user -b --cookie --oauth2-bearer -Headers --proxy-user "
	otherFlags  = " -X --request -A --user-agent -e --referer -c --cookie-jar -m --max-time --connect-timeout --retry --retry-delay -w --write-out -x --proxy --cacert --cert --key -r --range --resolve -C --limit-rate -K --config -P --directory-prefix -t --tries -Method -Uri --unix-socket --method "
)

func (r *trace) transferWords(name string, args []Value, input Value) transferred {
	var t transferred
	for i := 0; i < len(args); i++ {
		a := args[i]
		flag := a.Text
		if !strings.HasPrefix(flag, "-") || flag == "-" {
			if t.url.Text == "" && (strings.ContainsAny(flag, ".:/") || a.Origin != 0 || flag == unknown || strings.HasPrefix(flag, "$")) {
				t.url = a
			} else if name == "http" || name == "https" || name == "xh" {
				t.body, t.sends = t.body.with(a), t.sends || strings.Contains(flag, "=")
			} else {
				t.url = t.url.with(a)
			}
			continue
		}
		var value Value
		flag, value, i = splitFlag(args, i, name)
		key := " " + flag + " "
		switch {
		case strings.Contains(bodyFlags, key):
			t.body, t.sends = t.body.and(r.bodyOf(value, input)), true
		case strings.Contains(fileFlags, key):
			t.sends = true
			t.body = t.body.with(r.contents("cat", []Value{value}, input))
			if value.Text == "-" {
				t.body = t.body.with(input)
			}
		case strings.Contains(outputFlags, key), flag == "-O" && strings.HasPrefix(name, "wget"):
			t.output = value
		case flag == "-O" || flag == "--remote-name":
			t.remote = true
		case strings.Contains(loginFlags, key):
			t.login = t.login.with(value)
		case flag == "--url" || flag == "-Uri":
			t.url = value
		}
	}
	if strings.HasPrefix(name, "wget") && t.output.Text == "" {
		t.remote = true
	}
	return t
}

// and adds another part to a request's data.
func (v Value) and(part Value) Value {
	if v.Text == "" && v.Origin == 0 && !v.Known {
		return part
	}
	return join("&", v, part)
}

// splitFlag separates an option from its value, which may be joined to it, and
// returns the index of the last word that was used. Short options may be
// bundled; the last of them takes the value.
func splitFlag(args []Value, i int, name string) (string, Value, int) {
	a := args[i]
	flag := a.Text
	if strings.HasPrefix(flag, "--") {
		if f, v, ok := strings.Cut(flag, "="); ok {
			value := known(v).with(a)
			value.Known = a.Known
			return f, value, i
		}
	} else if len(flag) > 2 && !strings.HasPrefix(name, "Invoke") && name != "iwr" && name != "irm" {
		for j := 1; j < len(flag); j++ {
			short := "-" + flag[j:j+1]
			if !takesValue(short, name) {
				continue
			}
			if j+1 < len(flag) {
				value := known(flag[j+1:]).with(a)
				value.Known = a.Known
				return short, value, i
			}
			flag = short
			break
		}
		if strings.Contains(flag, "O") && len(flag) > 2 {
			return "-O", Value{}, i
		}
	}
	if takesValue(flag, name) && i+1 < len(args) {
		return flag, args[i+1], i + 1
	}
	return flag, Value{}, i
}

func takesValue(flag, name string) bool {
	key := " " + flag + " "
	if flag == "-O" {
		return strings.HasPrefix(name, "wget")
	}
	if strings.HasPrefix(name, "wget") && (flag == "-d" || flag == "-b" || flag == "-c" || flag == "-F" || flag == "-r" || flag == "-m" || flag == "-x" || flag == "-H" || flag == "-K") {
		return false
	}
	return strings.Contains(bodyFlags+fileFlags+outputFlags+loginFlags+otherFlags, key)
}

// bodyOf resolves @file and @- of a request's data.
func (r *memory) bodyOf(v Value, input Value) Value {
	text := v.Text
	if i := strings.IndexByte(text, '@'); i == 0 || i > 0 && text[i-1] == '=' || i > 0 && text[i-1] == '<' {
		name := text[i+1:]
		if j := strings.IndexByte(name, ';'); j >= 0 {
			name = name[:j]
		}
		if name == "-" || name == "/dev/stdin" {
			return input.with(v)
		}
		named := known(name).with(v)
		for _, c := range v.choices {
			named.choices = append(named.choices, strings.TrimPrefix(c, text[:i+1]))
		}
		return r.contents("cat", []Value{named}, Value{})
	}
	return v
}
