package program

import (
	"path"
	"strings"
)

// pathOrigin classifies a file by its path. Paths are compared as they are
// written, with any notation of the home folder.
func pathOrigin(p string) Origin {
	p = strings.ToLower(strings.ReplaceAll(p, "\\", "/"))
	base := path.Base(p)
	switch {
	case strings.HasSuffix(p, ".pub"), strings.HasSuffix(p, ".example"), strings.HasSuffix(p, ".sample"), strings.HasSuffix(p, "known_hosts"), strings.HasSuffix(p, ".template"):
		return 0
	case base == ".env", strings.HasPrefix(base, ".env.") && !strings.Contains(base, "example"), containsAny("/"+p+"/", settingsPaths...):
		return Settings
	case containsAny("/"+p+"/", keyPaths...):
		return KeyFile
	case keyEnding(base):
		return KeyFile
	case strings.HasSuffix(base, ".tfstate"), strings.HasSuffix(base, ".tfvars"), strings.HasSuffix(base, ".ovpn"):
		return Settings
	case strings.HasPrefix(base, "id_rsa"), strings.HasPrefix(base, "id_ed25519"), strings.HasPrefix(base, "id_ecdsa"), base == "id_*", base == "wallet.dat":
		return KeyFile
	case tokenFile(p):
		return Token
	case containsAny("/"+p+"/", privatePaths...):
		return Private
	case strings.HasPrefix(p, "/dev/shm/"), strings.Contains(p, "/tmp/."):
		return Dropped
	case strings.HasPrefix(p, "/proc/") && base == "environ":
		return Environment
	case strings.HasPrefix(p, "/etc/passwd"), strings.HasPrefix(p, "/etc/group"), strings.HasPrefix(p, "/etc/sudoers"):
		return Account
	case !strings.ContainsAny(p, unknown+"$<{") && machinePath(p):
		return Machine
	}
	return 0
}

// keyEnding reports whether a file holds keys by its name: stores of keys and passwords.
func keyEnding(base string) bool {
	switch path.Ext(base) {
	case ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk":
		return true
	}
	return base == "master.key" || base == "production.key" || base == "keystore.properties" || base == "key.properties" || strings.HasSuffix(base, ".json") && containsAny(base, "service-account", "service_account", "serviceaccount")
}

// tokenFile reports whether p is a file called like a login in a folder of a tool's own, below
// the user's home folder.
func tokenFile(p string) bool {
	dir, base := path.Split(p)
	switch strings.TrimSuffix(base, path.Ext(base)) {
	case "token", "tokens", "access_token", "refresh_token", "credential", "credentials", "creds", "auth", "oauth", "oauth_creds", "oauth2", "session", "sessions", "secrets", "cookies", "cookie":
		return containsAny(dir, "~/.", "home/.", "/library/application support/", "appdata/") || strings.HasPrefix(dir, ".config/") || strings.HasPrefix(dir, unknown+"/.")
	}
	return false
}

// machinePath reports whether p is a file of the machine's or the user's own. What
// tells of the system's kind and load, and the dotted folders in which tools keep
// their state, are not.
func machinePath(p string) bool {
	home, inHome := strings.CutPrefix(p, "~/")
	if !inHome {
		for _, root := range []string{"/home/", "/users/", "c:/users/"} {
			if rest, ok := strings.CutPrefix(p, root); ok {
				_, home, inHome = strings.Cut(rest, "/")
			}
		}
	}
	switch {
	case inHome && strings.HasPrefix(home, "."):
		return containsAny("/"+home+"/", "/.gitconfig/", "/.bashrc/", "/.zshrc/", "/.profile/", "/.bash_profile/", "/.mozilla/", "/.thunderbird/", "/.local/share/keyrings/")
	case inHome:
		return home != ""
	case containsAny(p, "/etc/os-release", "/etc/lsb-release", "/etc/timezone", "/etc/localtime", "/etc/ssl/cert", "/etc/pki/", "/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/proc/uptime", "/proc/stat", "/proc/version"):
		return false
	}
	return containsAny("\n"+p, "\n/etc/", "\n/proc/", "\n/root/", "\n/var/log/", "\n/var/mail/", "\n/var/spool/", "\nc:/windows/")
}

// keyPaths are parts of paths below which tools keep their users' keys, as the
// tools document them.
var keyPaths = []string{"/.ssh/", "/.aws/credentials", "/.aws/config/", "/.aws/", "/.config/gcloud/", "/.azure/", "/.kube/config", "/.kube/", "/.docker/config.json", "/.npmrc/", "/.pypirc/", "/.netrc/", "/_netrc/",
	"/.git-credentials/", "/.gnupg/", "/.config/gh/hosts", "/.claude/.credentials", "/.claude.json/", "/.codex/auth",
	"/.electrum/", "/.ethereum/keystore", "/.config/solana/", "/.bitcoin/", "/exodus/", "/atomic/local storage", "/metamask", "nkbihfbeogaeaoehlefnkodbefgpgknn", "/login data/", "/network/cookies/", "/default/cookies/", "cookies.binarycookies", "/cookies.sqlite/", "/logins.json/", "/key4.db/", "/local state/",
	"/etc/shadow/", "login.keychain", "/keychains/", "/.password-store/", "/.vault-token/", "/.terraform.d/credentials", "/.config/op/", "/.pgpass/", "/.my.cnf/", "/secrets/kubernetes.io/", "/run/secrets/", "/.cargo/credentials", "/.gradle/gradle.properties", "/.m2/settings.xml", "/.renviron/", "/.gem/credentials",
	"/discord/local storage", "/leveldb/", "/.config/rclone/", "/.s3cfg/", "/.boto/", "/169.254.169.254/", "/metadata.google.internal/"}

// settingsPaths are parts of paths below which agents keep their settings and those
// of their skills, including each skill's keys.
var settingsPaths = []string{"/.openclaw/credentials", "/.openclaw/openclaw.json/", "/.openclaw/.env/", "/.clawdbot/", "/.moltbot/"}

// privatePaths are parts of paths that hold records of a person's words or acts.
var privatePaths = []string{"_history/", "/.python_history", "/history.sqlite", "/default/history/", "/safari/history", "/places.sqlite/", "/.claude/projects", "/.claude/history", "/.claude/transcripts", "/.codex/sessions", "/.openclaw/workspace/memory", "/.openclaw/agents", "/.openclaw/sessions",
	"/memory.md/", "/soul.md/", "/user.md/", "/identity.md/", "/chat.db/", "/messages/chat", "/library/mail", "/library/messages"}

// secretName reports whether an environment variable is named like a key.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	switch last := upper[strings.LastIndexByte(strings.TrimSuffix(upper, "_KEY"), '_')+1:]; last {
	case "FILE_KEY", "PROJECT_KEY", "ISSUE_KEY", "SPACE_KEY", "CACHE_KEY", "SORT_KEY", "PRIMARY_KEY", "FOREIGN_KEY", "PARTITION_KEY", "OBJECT_KEY", "ROUTING_KEY", "IDEMPOTENCY_KEY":
		return false // an identifier opens nothing
	}
	if containsAny(upper, "PUBLIC_KEY", "KEYBOARD", "TOKENIZER", "TOKENS", "MAX_TOKEN", "KEY_PATH", "KEYCODE", "SSH_AUTH_SOCK", "PUBLISHABLE", "KEY_FILE", "TOKEN_URL", "TOKEN_FILE") || strings.HasSuffix(upper, "_PATH") || strings.HasSuffix(upper, "_DIR") || strings.HasSuffix(upper, "_FILE") {
		return false
	}
	return containsAny(upper, "API_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PRIVATE_KEY", "CREDENTIAL", "ACCESS_KEY", "MNEMONIC", "SEED_PHRASE", "DATABASE_URL", "CONNECTION_STRING", "_AUTH", "WEBHOOK_URL") ||
		strings.HasSuffix(upper, "_KEY") || strings.HasSuffix(upper, "_PWD") || strings.HasSuffix(upper, "_PAT") || strings.HasSuffix(upper, "_DSN")
}

// privateName reports whether an environment variable points to a person's
// conversation, clipboard or history.
func privateName(name string) bool {
	return containsAny(strings.ToUpper(name), "TRANSCRIPT", "CONVERSATION", "CLIPBOARD", "HISTFILE")
}

// SecretName reports whether an environment variable is named like a key.
func SecretName(name string) bool { return secretName(name) }

// variable returns the value of the environment variable name.
func variable(name string) Value {
	v := Value{Text: "${" + name + "}"}
	switch {
	case secretName(name):
		return v.from(Secret, name)
	case privateName(name):
		return v.from(Private, name)
	case name == "HOME" || name == "USERPROFILE":
		return known("~")
	case name == "SHELL":
		return known("/bin/sh")
	case name == "IFS":
		return known(" ")
	case name == "HOSTNAME" || name == "USER" || name == "LOGNAME" || name == "USERNAME" || name == "COMPUTERNAME":
		return v.from(Identity, name)
	}
	return v
}

// file returns the content of the file at path p.
func file(p Value) Value {
	out := mixed(p)
	for _, c := range p.choices {
		if o := pathOrigin(c); o != 0 {
			out = out.from(o, path.Base(c))
		}
	}
	if o := pathOrigin(p.Text); o&^out.Origin != 0 {
		name := path.Base(p.Text)
		if o == Token {
			name = path.Base(path.Dir(p.Text)) + "/" + name
		}
		out = out.from(o, name)
	}
	return out
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
