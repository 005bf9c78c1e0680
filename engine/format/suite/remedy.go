package suite

import (
	"regexp"
	"sync"
)

// remedy is advice for output that matches an expression.
type remedy struct {
	match *regexp.Regexp
	fix   string
}

// remedies recognise the bounds of the sandbox in the messages of Python, node, the shell
// and common programs.
var remedies = sync.OnceValue(func() []remedy {
	var out []remedy
	for _, r := range [][2]string{
		{`connect EACCES|getaddrinfo (ENOTFOUND|EAI_AGAIN)|^PermissionError: \[Errno 13\] Permission denied$`,
			"there is no network but by the proxy in $HTTPS_PROXY, to hosts that stand in requires.hosts and are admitted by security.yaml; sockets do not take it, and node's own fetch from version 24 on"},
		{`(?i)name or service not known|temporary failure in name resolution|could not resolve host|network is unreachable|ENETUNREACH|Tunnel connection failed: 403|<urlopen error \[Errno 13\]|new connection: \[Errno 13\]|\bsocket: Permission denied|not among the hosts that this tool may reach`,
			"there is no network but to hosts that stand in requires.hosts and are admitted by security.yaml, under sandbox"},
		{`^MemoryError\b|(?i)cannot allocate memory|JavaScript heap out of memory`, fixMemory},
		{`(?i)fork: .*resource temporarily unavailable|BlockingIOError: \[Errno 11\]|spawn \S+ EAGAIN|can't start new thread|pthread_create: resource temporarily`, "it starts more processes than it may have"},
		{`(?i)read-only file system|EROFS|no such file or directory: '/(tmp|scratch)/|/(tmp|scratch)/[^ :]*: no such file`, "it can write to $TMPDIR only, which is empty at each start, and only with run.write: true"},
	} {
		out = append(out, remedy{regexp.MustCompile(r[0]), r[1]})
	}
	return out
})

const fixMemory = "run.memory in capability.yaml is what it may take, up to memory_per_call in limits.yaml"

const fixLongInput = `Linux ends an argument at 128 KiB: where the first argument is "-", read the input from standard input`

// Remedy returns advice for a run that a bound of the sandbox ended or made fail; "" if
// unknown. It guesses from messages, and decides nothing.
func Remedy(o Outcome) string {
	switch o.Ended {
	case OverMemory:
		return fixMemory
	case OverOutput:
		return "standard output and error have 1 MiB together: it prints its answer, once"
	case Exited, Failed, Crashed, TimedOut:
	default:
		return ""
	}
	if failed(o) == nil && silent(o) == "" {
		return "" // words of an answer are not an error's
	}
	cause := Cause(o)
	for _, r := range remedies() {
		if r.match.MatchString(cause) {
			return r.fix
		}
	}
	switch {
	case o.Ended == TimedOut:
		return "run.timeout in capability.yaml is how long it may take, up to time_per_call in limits.yaml"
	case o.Ended == Exited && o.Exit == 0 && silent(o) != "":
		return "it prints its answer to standard output, as JSON or text"
	}
	return ""
}
