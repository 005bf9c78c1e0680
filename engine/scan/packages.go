package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/scan/program"
)

// wanted is a package that something installs or runs.
type wanted struct {
	// system is npm, pypi, crates or go.
	system string
	// name is without its version; pinned says that one was given.
	name   string
	pinned bool
	// runs says that it is fetched and run at once, as npx does.
	runs bool
	r    *reading
	act  *program.Act
}

// packages lists the packages that the programs in d install or fetch to run.
func packages(d *document) []wanted {
	var out []wanted
	for i := range d.readings() {
		r := &d.readings()[i]
		for j := range r.Acts {
			if a := &r.Acts[j]; a.Kind == program.Command && len(out) < 500 {
				out = append(out, installs(r, a)...)
			}
		}
	}
	return out
}

// installs reads one command as an installation.
func installs(r *reading, a *program.Act) []wanted {
	args := a.Args
	var system string
	var runs, one bool
	word := func(i int) string {
		if i < len(args) {
			return args[i].Text
		}
		return ""
	}
	switch a.Name {
	case "pip", "pip3", "pipx":
		system, args = "pypi", behind(args, "install", "run", "download", "inject")
		runs = word(0) == "run"
		one = runs
	case "python", "python3":
		if word(0) != "-m" || word(1) != "pip" {
			return nil
		}
		system, args = "pypi", behind(args, "install")
	case "uv":
		if word(0) == "tool" || word(0) == "x" {
			system, runs, one = "pypi", word(1) == "run", word(1) == "run"
			args = behind(args, "run", "install")
		} else {
			system, args = "pypi", behind(args, "install", "add")
		}
	case "uvx":
		system, runs, one = "pypi", true, true
	case "npm", "pnpm", "yarn", "bun":
		system = "npm"
		if word(0) == "exec" || word(0) == "dlx" || word(0) == "x" || word(0) == "create" || word(0) == "init" {
			if word(0) == "create" || word(0) == "init" {
				return nil
			}
			runs, one, args = true, true, args[1:]
		} else {
			args = behind(args, "install", "i", "add", "global")
			if len(args) > 0 && args[0].Text == "add" {
				args = args[1:]
			}
		}
	case "npx", "bunx":
		system, runs, one = "npm", true, true
	case "cargo":
		system, args = "crates", behind(args, "install", "add", "binstall")
	case "go":
		system, args = "go", behind(args, "install", "get", "run")
	default:
		return nil
	}
	var out []wanted
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		if strings.HasPrefix(text, "-") {
			switch text {
			case "-p", "--package", "--from", "--with":
				continue
			case "-r", "--requirement", "-c", "--index-url", "-i", "--extra-index-url", "--registry", "--prefix", "-t", "--target", "--python", "--version", "--git", "--features", "--root", "--find-links", "-f", "--trusted-host":
				i++
			}
			continue
		}
		if w, ok := packageWord(system, text); ok {
			w.runs, w.r, w.act = runs, r, a
			out = append(out, w)
		}
		if one {
			break
		}
	}
	return out
}

// behind returns the words behind the first of the subcommands, or none.
func behind(args []program.Value, subcommands ...string) []program.Value {
	for i, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		for _, s := range subcommands {
			if a.Text == s {
				return args[i+1:]
			}
		}
		if i > 2 {
			break
		}
	}
	return nil
}

// packageWord takes name and version of one word apart.
func packageWord(system, text string) (wanted, bool) {
	w := wanted{system: system}
	name := text
	switch system {
	case "npm":
		if i := strings.LastIndexByte(name, '@'); i > 0 {
			w.pinned = name[i+1:] != "latest" && name[i+1:] != ""
			name = name[:i]
		}
	case "pypi":
		if i := strings.IndexAny(name, "=<>~!@;"); i > 0 {
			w.pinned = strings.HasPrefix(name[i:], "==") || name[i] == '@' && !strings.HasSuffix(name, "@latest")
			name = name[:i]
		}
		if i := strings.IndexByte(name, '['); i > 0 {
			name = name[:i]
		}
	default:
		if i := strings.IndexByte(name, '@'); i > 0 {
			w.pinned = !strings.HasSuffix(name, "@latest")
			name = name[:i]
		}
	}
	w.name = strings.ToLower(strings.Trim(name, `"' `))
	if len(w.name) < 2 || strings.ContainsAny(w.name, "$<>{}*:\u2026") || strings.HasPrefix(w.name, ".") || strings.HasPrefix(w.name, "/") || strings.HasPrefix(w.name, "git+") || strings.Contains(w.name, "://") {
		return w, false
	}
	if system != "go" && strings.Contains(strings.TrimPrefix(w.name, "@"), "/") && !strings.HasPrefix(w.name, "@") {
		return w, false
	}
	return w, true
}
