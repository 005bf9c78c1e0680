package program

import (
	"regexp"
	"strings"
)

// Request is the name of a value that the client of a web page chose.
const Request = "request"

// The sources that a statement may name, in lower case.
var (
	fetches = map[Language]func() *regexp.Regexp{
		Ruby:       late(`net::http\.(?:get|start|new)|\buri(?:\.parse)?\s*\([^)\n]*\)\s*\.(?:read|open)|\buri\.open\b|\bopen\s*\(?\s*["']https?:|(?:httparty|faraday|restclient|excon|typhoeus|httpclient|http)\.get\b|tcpsocket\.(?:new|open)|\.(?:gets|recv)\b`),
		Perl:       late(`(?:http::tiny|lwp::useragent|mechanize)[^\n]*->(?:get|request|mirror)\b|\bget\s*\(?\s*["']https?:|\bgetstore\s*\(|->(?:get|mirror)\s*\(\s*["']https?:`),
		PHP:        late(`\b(?:file_get_contents|fopen|file|readfile|copy|stream_get_contents)\s*\(\s*['"](?:https?|ftp)|\bcurl_exec\s*\(|\bfsockopen\s*\(`),
		PowerShell: late(`download(?:string|data|file)|\binvoke-(?:webrequest|restmethod)\b|\b(?:irm|iwr)\s|getstringasync|getbytearrayasync|start-bitstransfer|\bopenread\b|responsetext`),
		Compiled:   late(`\bhttp\.get\s*\(|\bnet\.dial\w*\s*\(|reqwest::(?:blocking::)?get|ureq::get|\.get\s*\(\s*"https?:|new url\s*\(|\burl\s*\(\s*(?:string:\s*)?["']https?:|\.tourl\(\)|["']\.(?:tourl|touri)\(|get(?:string|bytearray|stream)async|download(?:string|data|file)|contentsof:|tcpstream::connect|\.openstream\s*\(|http\.read\s*\(`),
	}
	asked     = late(`\$_(?:request|get|post|cookie)\b|php://input|getallheaders\s*\(|\$_server\s*\[\s*['"]http_`)
	decodes   = late(`base64_decode\s*\(|decode64\s*\(|decode_base64\s*\(|unpack1?\s*\(?\s*['"]m0?['"]|frombase64string|gzinflate\s*\(|gzuncompress\s*\(|gzdecode\s*\(|zlib::inflate|inflate\.inflate|hex2bin\s*\(|str_rot13\s*\(|pack\s*\(?\s*['"]h\*['"]|uncompress\s*\(|convert_uudecode|convertto-securestring|compression\.(?:gzip|deflate)stream|fromhexstring|encoding\.decodestring|hex\.decodestring|getdecoder\(\)|decodebase64|base64::decode|standard\.decode|base64encoded:`)
	encodes   = late(`base64_encode\s*\(|encode64\s*\(|encode_base64\s*\(|pack\s*\(?\s*['"]m0?['"]|unpack1?\s*\(?\s*['"]h\*['"]|tobase64string|bin2hex\s*\(|gzcompress\s*\(|gzdeflate\s*\(|zlib::deflate|openssl_encrypt|encodetostring|getencoder\(\)|base64encoded\w*\(|base64::encode|standard\.encode`)
	surround  = late(`\benv\.(?:to_h|to_a|each|map|select|inspect|filter|reject|values|sort|dup|clone)\b|[(,]\s*env\s*[),]|%env\b|\bgetenv\s*\(\s*\)|\$_env\b(?:[^\[]|$)|(?:get-childitem|gci|dir|ls|get-item)\s+env:|getenvironmentvariables|/proc/self/environ|os\.environ\(\)|env::vars\(|system\.getenv\(\)|processinfo\.processinfo\.environment\b(?:[^\[]|$)`)
	owner     = late(`\b(?:socket\.gethostname|etc\.getlogin|php_uname|gethostname|get_current_user|sys::hostname)\b|\$env:(?:computername|username|userdomain)|\bhostname\b|\bwhoami\b|\bos\.hostname\(|\buser\.current\(|environment\.(?:username|machinename)`)
	copied    = late(`get-clipboard|clipboard\.(?:paste|get|gettext)|\bpbpaste\b|xclip[^\n]*-o\b|wl-paste|copyfromscreen|\bscreencapture\b|getasynckeystate`)
	settingOf = late(`\bENV(?:\.fetch)?\s*[\[({]\s*['"]?([A-Z][A-Z0-9_]+)|\$ENV\{\s*['"]?([A-Z][A-Z0-9_]+)|\bgetenv\s*\(\s*['"]([A-Z][A-Z0-9_]+)|\$_ENV\[\s*['"]([A-Z][A-Z0-9_]+)|\$env:([A-Za-z][A-Za-z0-9_]+)|(?:GetEnvironmentVariable|Getenv|LookupEnv|getenv|env::var|providers\.environmentVariable)\(\s*['"]([A-Z][A-Z0-9_]+)`)
	logins    = late(`authorization|bearer|x-api-key|api-key|basic_auth|userpwd|-credential\b|-headers\b|\bheaders?\b|access_token|setoptapi|httpheader`)
)

// origins returns a value with the origins of everything that text mentions.
func (o *outline) origins(text string) Value {
	lower := strings.ToLower(text)
	if !containsAny(lower, triggers...) {
		return o.known(text)
	}
	var v Value
	if fetches[o.lang]().MatchString(lower) {
		name := addressIn(text)
		v = v.from(Fetched, name)
	}
	if o.lang == PHP && asked().MatchString(lower) {
		v = v.from(Fetched, Request)
	}
	if decodes().MatchString(lower) {
		v = v.from(Decoded, "")
	}
	if encodes().MatchString(lower) {
		v = v.from(Encoded, "")
	}
	if strings.Contains(lower, "env") && surround().MatchString(lower) {
		v = v.from(Environment, "environment")
	}
	if owner().MatchString(lower) {
		v = v.from(Identity, "")
	}
	if copied().MatchString(lower) {
		v = v.from(Private, "clipboard or screen")
	}
	for _, m := range settingOf().FindAllStringSubmatch(text, 8) {
		v = v.with(variable(m[1] + m[2] + m[3] + m[4] + strings.ToUpper(m[5]) + m[6]).only(Secret | Private | Identity))
	}
	v = v.with(o.inFiles(text)...).with(o.known(text))
	v.Text, v.Known = "", false
	return v
}

// known returns the values of the variables that text mentions, joined.
func (o *outline) known(text string) Value {
	var v Value
	if len(o.vars) == 0 {
		return v
	}
	for _, name := range o.mentioned(text) {
		if held, ok := o.vars[name]; ok {
			v = v.with(held)
		}
	}
	return v
}

// reads matches functions that return the content of a file.
var reads = late(`(?i)\b(?:File\.(?:read|open|binread|readlines)|IO\.(?:read|readlines)|Dir\.glob|Dir\[|Find\.find|open|slurp|file_get_contents|fopen|file|readfile|glob|scandir|Get-Content|gc|cat|Get-ChildItem|ReadAll(?:Text|Bytes|Lines)|Compress-Archive|Copy-Item|Add-Type|ReadDir|WalkDir|Walk|read_to_string|readString|readText|readBytes|readLines|FileReader|FileInputStream|contentsOf|Properties)\b|\w\.(?:text|bytes)\b|\b(?:rootProject|project)\.file\b|\.entries|<\$`)

// inFiles returns the contents of the files whose paths are in text, if text reads files.
func (o *outline) inFiles(text string) []Value {
	if !reads().MatchString(text) {
		return nil
	}
	var out []Value
	for _, t := range aText().FindAllStringSubmatch(text, 12) {
		if p := t[1] + t[2]; strings.ContainsAny(p, "./\\") && len(p) < 300 {
			out = append(out, file(known(p)))
		}
	}
	if o.lang == Ruby {
		for _, m := range wordList().FindAllStringSubmatch(text, 4) {
			for _, p := range strings.Fields(m[1]) {
				out = append(out, file(known(p)))
			}
		}
	}
	for _, m := range barePath().FindAllString(text, 8) {
		out = append(out, file(known(m)))
	}
	for _, name := range o.mentioned(text) {
		if p, ok := o.fixed[name]; ok {
			out = append(out, file(p))
		}
	}
	return out
}

// barePath matches a path of PowerShell or of a shell without quotation marks.
var barePath = late(`(?i)(?:~|\$home|\$env:\w+)[/\\][\w.$/\\-]+`)

var (
	plainWord = late(`[A-Za-z_]\w*`)
	wordList  = late(`%w[\[({<]([^\])}>\n]*)[\])}>]`)
	sigilWord = late(`[$@%]\{?([A-Za-z_]\w*)`)
	insertion = late(`#\{([^}\n]*)\}`)
)

// bare reports whether variables are written without a sign in front of them.
func (o *outline) bare() bool { return o.lang == Ruby || o.lang == Compiled }

// mentioned returns the variables that text names. Words of its constants are not variables.
func (o *outline) mentioned(text string) []string {
	var out []string
	if o.bare() {
		plain := aText().ReplaceAllStringFunc(text, func(s string) string {
			var b strings.Builder
			for _, m := range insertion().FindAllStringSubmatch(s, 12) {
				b.WriteString(" " + m[1] + " ")
			}
			return b.String()
		})
		out = plainWord().FindAllString(plain, 60)
	} else {
		for _, m := range sigilWord().FindAllStringSubmatch(text, 60) {
			out = append(out, o.key(m[1]))
		}
		if strings.Contains(text, "$_") || strings.Contains(text, "_)") {
			out = append(out, "_")
		}
		if o.function != "" && (strings.Contains(text, "@_") || strings.Contains(text, "shift") || strings.Contains(strings.ToLower(text), "$args")) {
			out = append(out, o.function+"@")
		}
	}
	for _, m := range calledName().FindAllStringSubmatch(text, 20) {
		if name := strings.ToLower(m[1]); o.params[name] != nil || o.vars[name+"()"].Origin != 0 {
			out = append(out, name+"()")
		}
	}
	if o.bare() {
		for _, name := range out {
			if o.vars[name+"()"].Origin != 0 {
				return append(out, name+"()")
			}
		}
	}
	return out
}

var anAddress = late(`(?i)\b(?:https?|ftp|wss?)://[^\s'"<>)]+`)

// addressIn returns the first address in a text, or "".
func addressIn(text string) string { return anAddress().FindString(text) }
