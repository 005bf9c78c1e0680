package gitrun

import (
	"os"
	"slices"
	"strings"
)

// variable is an environment variable and its effect.
type variable struct{ name, why string }

// dropped lists the variables that no run of git gets. Every other variable is passed on: an
// attacker who can set it can also set PATH, so it is the user's. Kept on purpose:
// GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_COUNT,
// GIT_CONFIG_PARAMETERS (the user's configuration), GIT_SSH, GIT_SSH_COMMAND, GIT_ASKPASS,
// SSH_ASKPASS, GIT_PROXY_COMMAND, GIT_SSL_*, GIT_HTTP_* (the user's access to servers),
// GIT_EXEC_PATH, GIT_TEMPLATE_DIR (the user's installation) and GIT_TRACE* (debugging).
var dropped = []variable{
	// They select another repository. Hooks and aliases set them.
	{"GIT_DIR", "another repository"},
	{"GIT_COMMON_DIR", "another repository"},
	{"GIT_WORK_TREE", "other files"},
	{"GIT_IMPLICIT_WORK_TREE", "other files"},
	{"GIT_INDEX_FILE", "another index"},
	{"GIT_OBJECT_DIRECTORY", "other objects"},
	{"GIT_ALTERNATE_OBJECT_DIRECTORIES", "other objects"},
	{"GIT_QUARANTINE_PATH", "other objects, and no ref may move"},
	{"GIT_NAMESPACE", "other refs"},
	{"GIT_PREFIX", "another folder"},
	{"GIT_INTERNAL_SUPER_PREFIX", "another folder"},
	{"GIT_CONFIG", "the only file that git config reads and writes"},
	// They change what git reads in this repository.
	{"GIT_SHALLOW_FILE", "history ends elsewhere"},
	{"GIT_GRAFT_FILE", "commits get other parents"},
	{"GIT_REPLACE_REF_BASE", "objects are replaced by other refs"},
	{"GIT_ATTR_SOURCE", "attributes of another tree"},
	{"GIT_DEFAULT_HASH", "clones of a format that is not read"},
	{"GIT_DEFAULT_REF_FORMAT", "clones of a format that is not read"},
	// They change the meaning of arguments and output.
	{"GIT_GLOB_PATHSPECS", "paths become patterns"},
	{"GIT_NOGLOB_PATHSPECS", "paths become patterns"},
	{"GIT_ICASE_PATHSPECS", "paths become patterns"},
	{"GIT_PROTOCOL", "another protocol version for a child"},
	{"GIT_EXTERNAL_DIFF", "a program that no run of ours needs"},
	{"GIT_PAGER", "a program that no run of ours needs"},
	{"GIT_EDITOR", "a program that no run of ours needs"},
	{"GIT_SEQUENCE_EDITOR", "a program that no run of ours needs"},
}

// NoLogin returns the variables that keep the user's settings and logins from a run of git, as NAME=VALUE. home is
// an empty folder, or one without such files.
func NoLogin(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=0", "GIT_CONFIG_PARAMETERS=", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_AUTH_SOCK=", "GIT_TERMINAL_PROMPT=0",
	}
}

// Elsewhere returns the variables that select another repository, or other refs or objects of
// this one, and that no hook of this repository sets.
func Elsewhere() []string {
	return []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
}

// forced returns the variables set for every run.
func forced() []string {
	return []string{
		"LC_ALL=C",                     // error messages are recognised by their English text
		"GIT_NO_REPLACE_OBJECTS=1",     // objects are not replaced
		"GIT_GRAFT_FILE=" + os.DevNull, // commits keep their parents
		"GIT_LITERAL_PATHSPECS=1",      // paths are not patterns
		"GIT_OPTIONAL_LOCKS=0",         // no unrequested writes
		"GIT_NO_LAZY_FETCH=1",          // missing objects are not fetched
	}
}

// options returns the settings of every run. They override every file.
func options() []string {
	args := []string{"--no-pager", "-c", "advice.graftFileDeprecated=false"} // for GIT_GRAFT_FILE above
	//defence:no-program-of-the-repository
	args = append(args, "-c", "core.hooksPath="+os.DevNull, "-c", "core.fsmonitor=false")
	// Larger files are copied in parts. By default git keeps up to 512 MiB of one in memory, which
	// a hub sends as half a megabyte.
	return append(args, "-c", "core.bigFileThreshold=16m")
}

// protocols returns the transports that an online run may use. None runs a program of the
// remote's choice.
func protocols() []string { return []string{"file", "git", "http", "https", "ssh"} }

// allowedProtocols returns Git's variable GIT_ALLOW_PROTOCOL: our protocols, reduced to those of the
// user's own variable, and none for a run without network access. Git then ignores
// protocol.*.allow of any file.
func allowedProtocols(reach Reach) string {
	var ours []string
	if reach == Online || reach == Outside {
		ours = protocols()
	}
	if theirs, set := os.LookupEnv("GIT_ALLOW_PROTOCOL"); set {
		list := strings.Split(theirs, ":")
		ours = slices.DeleteFunc(ours, func(p string) bool { return !slices.Contains(list, p) })
	}
	return "GIT_ALLOW_PROTOCOL=" + strings.Join(ours, ":")
}

// environment returns the environment of a run.
func environment(reach Reach) []string {
	env := append(passedEnvironment(), forced()...)
	//defence:no-program-as-a-transport
	env = append(env, allowedProtocols(reach))
	if os.Getenv(allocVariable) == "" {
		//defence:git-allocates-in-bounds
		env = append(env, allocVariable+"="+allocLimit)
	}
	return env
}

// A difference of a few kilobytes stands for any number of gigabytes, and git builds what it stands for in memory. It
// makes none for a file of more than 512 MiB (core.bigFileThreshold), so none of those that it made is refused; the rest
// is for compressing. The user's own limit counts.
const allocVariable, allocLimit = "GIT_ALLOC_LIMIT", "520m"

// passedEnvironment returns the environment of this process without the dropped variables.
func passedEnvironment() []string {
	return without(os.Environ(), func(name string) bool {
		return slices.ContainsFunc(dropped, func(v variable) bool { return v.name == name })
	})
}

func without(env []string, drop func(name string) bool) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return drop(name)
	})
}
