package program

import (
	"strings"
	"sync"
)

// The names of functions and programs that the readers know, grouped by effect. A reader
// asks a table for the kind of a name and switches on that kind.

// kinds inverts a table that lists the names of each kind: the result maps a name to its kind.
func kinds(table map[string]string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		out := map[string]string{}
		for kind, names := range table {
			for _, name := range strings.Fields(names) {
				out[name] = kind
			}
		}
		return out
	})
}

//nolint:gochecknoglobals // constants that Go has no literals for.
var (
	// lookups are functions that only name something: modules, attributes, variables.
	lookups = kinds(map[string]string{
		"module":       "require __import__ importlib.import_module import import_module process.mainModule.require module.require createRequire()",
		"attribute":    "getattr Reflect.get",
		"namespace":    "vars globals locals builtins dir",
		"one variable": "os.getenv os.environ.get os.environ.pop Deno.env.get Bun.env.get os.environ.setdefault environ.get getenv",
		"all variables": `
			os.environ.items os.environ.copy os.environ.keys os.environ.values Deno.env.toObject dict Object.assign Object.keys
			Object.fromEntries structuredClone`,
		"same value": `
			os.path.expanduser os.path.abspath os.path.realpath os.path.expandvars os.path.normpath Path pathlib.Path path.resolve str String
			list tuple sorted iter os.fspath glob.glob glob.iglob os.listdir os.walk os.scandir fs.readdirSync Buffer.concat path.normalize
			encodeURIComponent urllib.parse.quote repr URL json.dumps JSON.stringify`,
		"entries":        "Object.entries Object.values",
		"path":           "os.path.join path.join path.posix.join",
		"memory file":    "io.BytesIO BytesIO io.StringIO StringIO",
		"temporary path": "tempfile.mktemp tempfile.mkdtemp tempfile.gettempdir os.tmpdir tmpdir fs.mkdtempSync",
		"temporary file": "tempfile.NamedTemporaryFile tempfile.TemporaryFile",
		"temporary pair": "tempfile.mkstemp",
		"home":           "os.homedir homedir Path.home pathlib.Path.home",
		"handed over":    "input raw_input prompt argparse.ArgumentParser().parse_args argparse.ArgumentParser().parse_known_args",
		"identity": `
			os.uname socket.gethostname platform.node platform.uname getpass.getuser os.getlogin os.hostname os.userInfo platform.platform
			uuid.getnode`,
		"private": `
			pyperclip.paste clipboardy.read clipboardy.readSync navigator.clipboard.readText ImageGrab.grab pyautogui.screenshot
			PIL.ImageGrab.grab mss.mss keyboard.record clipboard.paste`,
		"key store": `
			keyring.get_password browser_cookie3.chrome browser_cookie3.firefox browser_cookie3.load win32crypt.CryptUnprotectData
			keytar.getPassword keytar.findCredentials boto3.Session().get_credentials boto3.session.Session().get_credentials
			botocore.session.get_session().get_credentials google.auth.default`,
		"session": "boto3.Session boto3.session.Session",
	})
	// decoders are decoders, encoders and makers of characters.
	decoders = kinds(map[string]string{
		"base64": `
			base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes binascii.a2b_base64 atob b64decode
			Base64.decode`,
		"base32": "base64.b32decode",
		"other": `
			base64.b85decode base64.a85decode base64.b16decode marshal.loads pickle.loads dill.loads cryptography.fernet.Fernet().decrypt
			crypto.createDecipheriv lzma.decompress bz2.decompress`,
		"hex":        "bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex unhexlify",
		"compressed": "zlib.decompress gzip.decompress zlib.gunzipSync zlib.inflateSync zlib.unzipSync zlib.inflateRawSync",
		"codec":      "codecs.decode",
		"buffer":     "Buffer.from Buffer",
		"url":        "unescape decodeURIComponent decodeURI urllib.parse.unquote unquote",
		"encodes": `
			base64.b64encode base64.urlsafe_b64encode base64.encodebytes btoa binascii.hexlify base64.b32encode binascii.b2a_hex zlib.compress
			gzip.compress base64.b85encode b64encode`,
		"character":  "chr unichr",
		"code point": "ord",
		"number":     "int parseInt Number",
		"characters": "String.fromCharCode String.fromCodePoint",
		"bytes":      "bytes bytearray Uint8Array Uint8Array.from array.array",
		"map":        "map",
		"reversed":   "reversed",
		"compile":    "compile",
	})
	// runners are functions that interpret data as a program.
	runners = kinds(map[string]string{
		"print": "print console.log console.info console.error process.stdout.write sys.stdout.write console.debug",
		"source": `
			exec eval execfile Function setTimeout setInterval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script code.interact
			types.FunctionType runpy.run_path InteractiveInterpreter().runsource execScript vm.compileFunction get_ipython().run_cell
			get_ipython().ex code.InteractiveInterpreter().runsource code.InteractiveInterpreter().runcode code.InteractiveConsole().push`,
		"shell": `
			os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput commands.getoutput commands.getstatusoutput
			child_process.exec child_process.execSync execSync shelljs.exec shell.exec asyncio.create_subprocess_shell execaCommand
			execa.command execa.commandSync get_ipython().system get_ipython().getoutput posix.system nt.system platform.popen`,
		"words": `
			subprocess.run subprocess.call subprocess.Popen subprocess.check_output subprocess.check_call child_process.spawn
			child_process.spawnSync child_process.execFile child_process.execFileSync spawn spawnSync execFile execFileSync
			asyncio.create_subprocess_exec Bun.spawn Bun.spawnSync Deno.Command execa execa.execa os.execv os.execve os.execvp os.execl
			os.execlp os.spawnv os.spawnl os.spawnvp os.posix_spawn pty.spawn child_process.fork os.startfile cross-spawn`,
		"module file": `
			importlib.machinery.SourceFileLoader importlib.util.spec_from_file_location importlib.machinery.SourcelessFileLoader
			SourceFileLoader spec_from_file_location imp.load_source importlib.machinery.ExtensionFileLoader`,
	})
	// fileCalls are functions that read and write files.
	fileCalls = kinds(map[string]string{
		"open":         "open io.open codecs.open os.open aiofiles.open gzip.open",
		"write opened": "open().write open().writelines",
		"read": `
			fs.readFileSync fs.readFile readFileSync readFile Deno.readTextFile Deno.readFile Deno.readTextFileSync Bun.file sqlite3.connect
			fs.createReadStream np.load dotenv_values dotenv.dotenv_values configparser.ConfigParser().read fs.openSync`,
		"write": `
			fs.writeFileSync fs.writeFile writeFileSync writeFile fs.appendFileSync fs.appendFile appendFileSync appendFile Deno.writeTextFile
			Bun.write Deno.writeTextFileSync`,
		"copy": `
			shutil.copy shutil.copyfile shutil.copy2 shutil.move os.rename fs.copyFileSync fs.renameSync fs.cpSync shutil.copytree os.symlink
			fs.symlinkSync`,
		"pack folder": "shutil.make_archive",
		"download":    "urllib.request.urlretrieve urlretrieve wget.download",
		"memory file": "io.BytesIO().getvalue io.BytesIO().read io.StringIO().getvalue io.StringIO().read io.BytesIO().getbuffer",
		"archive":     "zipfile.ZipFile tarfile.open py7zr.SevenZipFile",
		"pack":        "archive().write archive().add archive().writestr archive().writeall",
		"settings":    "load_dotenv dotenv.load_dotenv dotenv.config",
	})
	// requests are functions that speak to other machines, by the whole name.
	requests = kinds(map[string]string{
		"request": `
			fetch urllib.request.urlopen urllib.request.Request urlopen urllib2.urlopen urllib.urlopen axios got ky node-fetch request
			navigator.sendBeacon feedparser.parse undici.request undici.fetch $.post $.ajax GM_xmlhttpRequest Request`,
		"lookup": `
			socket.gethostbyname socket.getaddrinfo dns.resolver.resolve dns.resolver.query dns.resolve dns.lookup dns.resolve4 dns.resolveTxt
			dns.promises.resolve dns.promises.lookup socket.gethostbyname_ex dns/promises.lookup dns/promises.resolve`,
	})
	// sendMethods are methods of clients and connections.
	sendMethods = kinds(map[string]string{
		"request": "get head options stream delete post put patch request urlopen Request",
		"send": `
			sendall sendto sendmail send_message storbinary send emit send_text putfo upload_file put_object upload_fileobj send_document
			send_file sendMessage sendMail write end`,
		"receive": "recv recvfrom makefile",
	})
	// filters are programs of the shell that make or change data.
	filters = kinds(map[string]string{
		"echo":        "echo",
		"printf":      "printf",
		"contents":    "cat less more head tail bat tac nl strings dd zcat gzcat type Get-Content gc",
		"base64":      "base64 base32 gbase64",
		"hex":         "xxd hexdump od",
		"openssl":     "openssl",
		"encrypt":     "gpg age",
		"reverse":     "rev",
		"translate":   "tr",
		"compress":    "gunzip gzip unxz bunzip2 zlib-flate",
		"uudecode":    "uudecode",
		"environment": "env printenv set export declare compgen",
		"clipboard":   "pbpaste wl-paste Get-Clipboard",
		"selection":   "xclip xsel",
		"screen":      "screencapture scrot gnome-screenshot import grim",
		"history":     "history fc",
		"keychain":    "security",
		"dump":        "mysqldump mariadb-dump pg_dump pg_dumpall mongodump",
		"secret":      "secret-tool op pass bw vault kwallet-query",
		"identity":    "whoami hostname id uname",
		"tee":         "tee",
		"copy":        "cp mv ln install",
		"temporary":   "mktemp",
		"archive":     "tar bsdtar unzip 7z 7za zip split ditto",
		"text":        "grep egrep rg sed sort uniq cut jq yq wc fold paste column envsubst sqlite3 ls",
		"nothing":     "true false : test [ cd mkdir touch sleep exit return shift local unset wait kill chmod rm git",
	})
	// networkPrograms are programs that speak to other machines.
	networkPrograms = kinds(map[string]string{
		"transfer": "curl wget wget2 curlie xh http https aria2c Invoke-WebRequest Invoke-RestMethod iwr irm fetch",
		"connect":  "nc ncat netcat telnet socat",
		"lookup":   "dig nslookup host drill ping resolvectl Resolve-DnsName",
		"copy":     "scp rsync rclone ftp sftp gsutil s3cmd mc croc magic-wormhole wormhole",
		"mail":     "mail mailx sendmail mutt msmtp swaks",
		"cloud":    "aws gcloud az gh oc kubectl ipfs",
	})
	// carriers are programs that run others.
	carriers = kinds(map[string]string{
		"shell":      "sh bash zsh dash ksh ash fish rbash",
		"python":     "python python2 python3 pypy pypy3 py",
		"javascript": "node nodejs bun deno tsx",
		"foreign":    "perl ruby php lua osascript Rscript awk gawk",
		"windows":    "powershell pwsh cmd",
		"eval":       "eval",
		"source":     "source",
		"carry":      "trap ssh su watch script at batch",
		"xargs":      "xargs parallel",
		"find":       "find fd",
		"alias":      "alias",
		"read":       "read mapfile readarray",
	})
)
