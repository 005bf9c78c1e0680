package program

import (
	"regexp"
	"slices"
	"strings"
)

// evaluators run text as a program of the same language, starters a command.
var (
	evaluators = map[Language]func() *regexp.Regexp{
		Ruby:       late(`\b(eval|instance_eval|class_eval|module_eval|instance_exec|load)\b[\s(,:]|:(eval|instance_eval|class_eval|module_eval)\b`),
		Perl:       late(`\b(eval)\s*[^{\s;]|\b(do)\s+\$`),
		PHP:        late(`\b(eval|assert|create_function|include|include_once|require|require_once|call_user_func|call_user_func_array|unserialize)\b\s*\(?`),
		PowerShell: late(`(?i)\b(iex|invoke-expression)\b|\[\s*(scriptblock)\s*\]\s*::\s*create|(reflection\.assembly)\]::load|\b(add-type)\b|\.(invokescript)\b`),
		Compiled:   late(`\b(plugin\.Open|GroovyShell|ScriptEngine|Assembly\.Load|DynamicInvoke|defineClass|NSAppleScript)\b|\.(Eval|eval|evaluate|RunString|evaluateScript)\s*\(`),
	}
	starters = map[Language]func() *regexp.Regexp{
		Ruby:       late(`\b(system|exec|spawn|popen|popen[23]e?|capture[23]e?)\b\s*\(?\s*`),
		Perl:       late(`\b(system|exec|qx)\b\s*[({/]?\s*`),
		PHP:        late(`\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(\s*`),
		PowerShell: late(`(?i)\b(invoke-command|start-process|start)\s+|(?:^|[\s;|({])&\s*`),
		Compiled:   late(`\b(exec\.Command|exec\.CommandContext|syscall\.Exec|Command::new|ProcessBuilder|getRuntime\(\)\.exec|Runtime\.exec|Process\.Start|Process\.start|Process\.run|commandLine|executable)\b\s*[(=]?\s*(?:ctx\s*,\s*)?(?:listOf\(|arrayOf\(|new String\[\]\s*\{|\[)?\s*|(?:["'\]])\.(execute)\(\)`),
	}
	ticked  = late("`([^`]{3,900})`|%x[({\\[]([^)}\\]]{3,900})")
	direct  = late(`^\(?\s*[$@]?\w`)
	varCall = late(`\$(\w+)\s*\(`)
)

// runs reports the data that a statement interprets as a program.
func (o *outline) runs(p phrase, hid bool) {
	if loc := evaluators[o.lang]().FindStringSubmatchIndex(p.text); loc != nil {
		name, end := group(p.text, loc), loc[1]
		behind := p.text[max(0, end-1):]
		if o.lang == PowerShell {
			behind = p.text
		}
		v := o.origins(behind)
		v.Disguised = v.Disguised || hid
		if v.Has(Fetched | Decoded) {
			o.act(Act{Kind: Run, Name: name, Data: v})
		}
		if hidden, ok := o.spelled(behind); ok {
			o.act(Act{Kind: Run, Name: name, Data: hidden})
			o.line(name+`("`+hidden.Text+`")`, true)
		}
	}
	for _, loc := range starters[o.lang]().FindAllStringSubmatchIndex(p.text, 8) {
		o.starts(group(p.text, loc), p.text[loc[1]:])
	}
	if o.lang != PowerShell && strings.ContainsAny(p.text, "`%") {
		for _, m := range ticked().FindAllStringSubmatch(p.text, 8) {
			o.inner(insertion().ReplaceAllString(m[1]+m[2], unknown), Shell)
		}
	}
	if o.lang == PHP {
		for _, loc := range varCall().FindAllStringSubmatchIndex(p.text, 8) {
			name := p.text[loc[2]:loc[3]]
			args, _, _ := strings.Cut(p.text[loc[1]:], ")")
			v := o.vars[name]
			handed := o.origins(args)
			if v.Has(Fetched|Decoded) || v.Disguised && p.value.Has(Fetched) || slices.Contains(handed.Names, Request) {
				o.act(Act{Kind: Run, Name: "$" + name, Data: v.with(handed)})
			}
		}
	}
	if hid {
		o.line(p.text[:min(len(p.text), 2000)], true)
	}
}

// starts reads a command: as a whole it may have been fetched, and where it is a
// constant it is read as a shell would.
func (o *outline) starts(name, args string) {
	if name == "" {
		name = "command"
	}
	if o.lang == Compiled {
		args = commandLine(args)
	}
	if m := aText().FindStringSubmatchIndex(args); m != nil && m[0] == 0 {
		text := args[1 : m[1]-1]
		o.inner(insertion().ReplaceAllString(text, unknown), Shell)
		return
	}
	if !direct().MatchString(args) {
		return
	}
	first, _, _ := strings.Cut(args, ",")
	if v := o.origins(first); v.Has(Fetched | Decoded) {
		o.act(Act{Kind: Run, Name: name, Data: v})
	}
}

var severalTexts = late(`^\s*"[^"\n]*"(?:\s*,\s*"[^"\n]*")+|^\s*'[^'\n]*'(?:\s*,\s*'[^'\n]*')+`)

// commandLine writes the words that a program is started with as one constant, as far as they
// are constant. The command of a shell is the word after "-c".
func commandLine(args string) string {
	words := severalTexts().FindString(args)
	if words == "" {
		return args
	}
	var line []string
	for _, m := range aText().FindAllStringSubmatch(words, 20) {
		line = append(line, m[1]+m[2])
	}
	if n := len(line); line[n-1] == "-c" || line[n-1] == "/c" || line[n-1] == "/C" {
		return strings.TrimLeft(args[len(words):], ", ")
	} else if n > 2 && (line[n-2] == "-c" || line[n-2] == "/c") {
		line = line[n-1:]
	}
	return `"` + strings.Join(line, " ") + `"`
}

// spelled returns the constant that a variable in text holds under a disguise.
func (o *outline) spelled(text string) (Value, bool) {
	for _, name := range o.mentioned(text) {
		if v, ok := o.fixed[name]; ok && v.Disguised && len(v.Text) > 8 {
			v.Origin |= Decoded
			return v, true
		}
	}
	return Value{}, false
}

// group returns the first submatch that is set.
func group(text string, loc []int) string {
	for i := 2; i+1 < len(loc); i += 2 {
		if loc[i] >= 0 {
			return text[loc[i]:loc[i+1]]
		}
	}
	return ""
}

// Calls that send data and calls that ask a name server, in lower case.
var (
	posts = map[Language]func() *regexp.Regexp{
		Ruby:       late(`\.post(?:_form)?\b|net::http::(?:post|put)|\.request\s*\(|\.body\s*=|set_form|(?:tcp|udp)socket|\.sendmail`),
		Perl:       late(`->(?:post|post_form|put|request|send)\b|\bprint\s+\{?\s*\$\w*(?:sock|conn|client|s)\b`),
		PHP:        late(`curlopt_(?:postfields|url)|http_build_query|'content'\s*=>|\bmail\s*\(|\bf(?:write|puts)\s*\(\s*\$\w*(?:sock|fp|conn|s)\b|curl_init\s*\(`),
		PowerShell: late(`-body\b|-infile\b|upload(?:string|data|file|values)|send-mailmessage|postasync`),
		Compiled:   late(`\.post(?:form|async|asjsonasync)?\s*\(|\.(?:put|patch)async\s*\(|new_?request\w*\s*\([^\n]*(?:"(?:post|put|patch)"|method(?:post|put))|httpmethod\.(?:post|put)|(?:method|requestmethod)\s*[=(]\s*"(?:post|put)"|\.(?:post|put|patch)\s*\(|bodypublishers|uploadtask|httpbody\b|upload(?:string|data|file|values)|requestbody|smtp\.sendmail|fprint\w*\s*\(\s*(?:conn|sock)\w*|(?:conn?|connection|sock|socket)\w*\.write`),
	}
	resolves = late(`->(?:search|query|send)\s*\(\s*["'$][^)\n]*["']?,?\s*['"](?:a|txt|mx|cname)['"]|net::dns[^\n]*->(?:search|query)`)
	asks     = late(`resolv\.(?:getaddress|getaddresses)|resolv::dns[^\n]*\.get(?:address|addresses|resource|resources)|\bdns\.get(?:address|resource)s?\b|gethostbyname\s*\(|inet_aton\s*\(|dns_get_record\s*\(|checkdnsrr\s*\(|resolve-dnsname|\[(?:system\.)?net\.dns\]|addrinfo\.getaddrinfo|\bping\.send\b|test-connection|\bnet\.lookup\w+\s*\(|inetaddress\.getbyname|dns\.gethost\w+\s*\(|to_socket_addrs`)
)

// leaves reports the data that a statement sends away. A single key is a login;
// more than one is a collection.
func (o *outline) leaves(p phrase) {
	v := p.value
	if v.Origin == 0 {
		return
	}
	if asks().MatchString(p.lower) || o.lang == Perl && resolves().MatchString(p.lower) {
		if d := v.only(v.Origin &^ (Fetched | Decoded | Identity)); d.Origin != 0 {
			o.act(Act{Kind: Lookup, Name: "lookup", Data: d})
		}
		return
	}
	address := addressIn(p.text)
	for _, name := range o.mentioned(p.text) {
		if text := o.fixed[name].Text; address == "" && strings.Contains(text, "://") {
			address = text
		}
	}
	inAddress := address != "" && fetches[o.lang]().MatchString(p.lower) && (strings.Contains(p.text, "?") || strings.HasSuffix(address, "="))
	if o.lang == Compiled && v.Has(Fetched) && strings.Contains(p.lower, "outputstream") {
		inAddress = true // of a connection that was opened
	}
	if !posts[o.lang]().MatchString(p.lower) && !inAddress {
		return
	}
	keep := KeyFile | Token | Environment | Private | Settings | Account | Machine
	if v.Has(Encoded) && !logins().MatchString(p.lower) {
		keep |= Secret
	}
	if v = v.only(v.Origin & keep); v.Origin != 0 {
		o.act(Act{Kind: Send, Name: "send", Data: v, To: Value{Text: address, Known: address != ""}})
	}
}

var stores = map[Language]func() *regexp.Regexp{
	Ruby:       late(`\b(?:File|IO)\.(?:write|binwrite|open|new)\s*\(?\s*([^\n]*)`),
	Perl:       late(`\bopen\s*\(?[^\n;]*?['"](?:\+?>>?)[^'"]*['"]\s*,\s*([^\n]*)|\bopen\s*\(?[^\n;,]*,\s*["']\s*>>?\s*([^\n]*)`),
	PHP:        late(`\b(?:file_put_contents|copy|rename|fopen)\s*\(\s*([^\n]*)`),
	Compiled:   late(`\b(?:os\.WriteFile|ioutil\.WriteFile|os\.Create|os\.OpenFile|fs::write|File::create|Files\.write\w*|File\.(?:WriteAll\w+|AppendAll\w+)|FileWriter|FileOutputStream|new File|File)\s*\(\s*([^\n]*)`),
	PowerShell: late(`(?i)\b(?:Set-Content|Add-Content|Out-File|New-Item|Copy-Item|Move-Item|ac|sc)\b\s*([^\n]*)|(?:WriteAll(?:Text|Bytes|Lines)|AppendAllText|DownloadFile)\s*\(\s*([^\n]*)|>>?\s*(\$PROFILE\b[^\n]*)`),
}

// writes reports which file a statement writes, as far as its path is constant.
func (o *outline) writes(p phrase) {
	loc := stores[o.lang]().FindStringSubmatchIndex(p.text)
	if loc == nil {
		return
	}
	rest := group(p.text, loc)
	if head := p.text[loc[0]:min(loc[1], loc[0]+16)]; (o.lang == Ruby && (strings.Contains(head, ".open") || strings.Contains(head, ".new")) || o.lang == PHP && strings.HasPrefix(head, "fopen")) && !writing().MatchString(rest) {
		return
	}
	v := p.value
	// Starting the file that a variable names starts the data written there.
	first, _, _ := strings.Cut(rest, ",")
	for _, name := range o.mentioned(first) {
		o.set(name, v.only(v.Origin&(Fetched|Decoded)))
	}
	to := o.path(rest)
	if to == "" {
		return
	}
	o.act(Act{Kind: Write, Name: "write", To: known(to), Data: v.only(v.Origin)})
}

var writing = late(`,\s*['"][waxc]`)

// path returns the first path in text that is a constant, or that a variable holds.
func (o *outline) path(text string) string {
	if o.lang == PowerShell && strings.Contains(strings.ToLower(text), "$profile") {
		return "~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"
	}
	for _, t := range aText().FindAllStringSubmatch(text, 6) {
		if s := insertion().ReplaceAllString(t[1]+t[2], "~"); strings.ContainsAny(s, "/\\") && len(s) < 300 && !strings.Contains(s, "://") {
			return s
		}
	}
	for _, name := range o.mentioned(text) {
		if v, ok := o.fixed[name]; ok && strings.ContainsAny(v.Text, "/\\") && !strings.Contains(v.Text, "://") {
			return v.Text
		}
	}
	return barePath().FindString(text)
}

// assigned finds the targets of an assignment.
var assigned = map[Language]func() *regexp.Regexp{
	Ruby:       late(`^\s*@{0,2}([A-Za-z_]\w*)(?:\[[^\]\n]*\]|\s*,\s*@?[A-Za-z_]\w*)*\s*(?:\|\||\+|<<)?=\s*([^=~][^\n]*(?:\n[^\n]*)*)|(?:do\s*|^\s*|\{\s*)\|\s*\(?([\w,\s()*&]+)\|`),
	Perl:       late(`^\s*(?:my|our|local)?\s*\(?\s*([$@%]\w+(?:\s*,\s*[$@%]\w+)*)\s*\)?\s*(?:\.|\|\||//)?=\s*([^=~][^\n]*(?:\n[^\n]*)*)|\bfor(?:each)?\s+(?:my\s+)?(\$\w+)`),
	PHP:        late(`^\s*(?:<\?php\s+)?(?:if\s*\(\s*)?(\$\w+)(?:\[[^\]\n]*\])?\s*\.?=\s*([^=~][^\n]*(?:\n[^\n]*)*)|\bforeach\s*\([^)\n]*\bas\s+([^)\n]*)`),
	Compiled:   late(`^\s*(?:(?:if|let|var|val|def|const|final|static|mut|private|public|guard)\s+)*(?:[\w.<>\[\]?]+\s+)?([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)(?:\[[^\]\n]*\])?(?:\s*:\s*[\w.<>\[\]?& ]+)?\s*[:+]?=\s*([^=>~][^\n]*(?:\n[^\n]*)*)|\bfor\s*\(?\s*(?:(?:let|var|val|final)\s+)?(?:[\w<>\[\]]+\s+)?(\w+(?:\s*,\s*\w+)?)\s*(?::=\s*range|\bin\b|:)\s`),
	PowerShell: late(`(?i)^\s*(?:\[[\w.\[\]]+\]\s*)?(\$\w+)\s*\+?=\s*([^=~][^\n]*(?:\n[^\n]*)*)|\bforeach\s*\(\s*(\$\w+)\s+in`),
}

// assigns remembers the values of variables and the result of a function.
func (o *outline) assigns(p phrase) {
	var loc []int
	if strings.ContainsAny(p.text, "=|") || strings.Contains(p.lower, "for") {
		loc = assigned[o.lang]().FindStringSubmatchIndex(p.text)
	}
	if loc == nil {
		o.set("_", p.value)
		if o.function != "" && p.value.Origin != 0 {
			o.set(o.function+"()", p.value)
		}
		return
	}
	if loc[6] >= 0 {
		v := p.value.with(o.header)
		for _, name := range plainWord().FindAllString(p.text[loc[6]:loc[7]], 8) {
			o.set(o.key(name), v)
		}
		return
	}
	right := p.text[loc[4]:loc[5]]
	v := o.origins(right)
	for _, name := range plainWord().FindAllString(p.text[loc[2]:loc[3]], 8) {
		o.set(o.key(name), v)
		if text, ok := constant(right); ok {
			was := o.fixed[o.key(name)]
			o.fixed[o.key(name)] = Value{Text: text, Known: true, Disguised: was.Disguised || p.value.Disguised, Names: was.Names}
		} else if path := o.path(right); path != "" {
			o.fixed[o.key(name)] = Value{Text: path}
		}
	}
}

var alone = late(`^\s*(?:'([^'\n]*)'|"([^"\n$#]*)")\s*(?:\.freeze)?\s*[;)]?\s*$`)

// constant returns the text of an expression that is one constant, and whether it is one.
func constant(text string) (string, bool) {
	m := alone().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1] + m[2], true
}
