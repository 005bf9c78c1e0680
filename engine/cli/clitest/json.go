package clitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	got, err := pick(ts.ReadFile(args[0]), args[1])
	if len(args) == 2 {
		if (err == nil) == neg {
			ts.Fatalf("%s: there is something: %v (%v)", args[1], err == nil, err)
		}
		return
	}
	ts.Check(err)
	if (got == args[2]) == neg {
		ts.Fatalf("%s is %s, compared with %s", args[1], got, args[2])
	}
}

func jsonMatches(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: jsonmatch FILE PATH REGEXP")
	}
	got, err := pick(ts.ReadFile(args[0]), args[1])
	ts.Check(err)
	re, err := regexp.Compile("(?s)" + args[2])
	ts.Check(err)
	if re.MatchString(got) == neg {
		ts.Fatalf("%s is %s, compared with %s", args[1], got, args[2])
	}
}

func jsonEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonenv NAME FILE PATH")
	}
	got, err := pick(ts.ReadFile(args[1]), args[2])
	ts.Check(err)
	ts.Setenv(args[0], got)
}

// steps are the parts of a path; dots between brackets separate nothing.
var steps = regexp.MustCompile(`\[[^\]]*\]|[^.]+`)

// pick returns the value at path: strings as they are, anything else as JSON.
func pick(text, path string) (string, error) {
	var v any
	if strings.HasSuffix(path, ".") {
		return "", fmt.Errorf("the path %s ends with a dot: # begins a comment, len is the number of elements", path)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return "", fmt.Errorf("not JSON: %w\n%s", err, text)
	}
	for _, step := range steps.FindAllString(path, -1) {
		next, err := descend(v, step)
		if err != nil {
			return "", fmt.Errorf("%s: at %q: %w", path, step, err)
		}
		v = next
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	out, err := json.Marshal(v)
	return string(out), err
}

func descend(v any, step string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if next, ok := v[step]; ok {
			return next, nil
		}
		return nil, errors.New("no such field")
	case []any:
		if step == "len" {
			return len(v), nil
		}
		if key, value, ok := strings.Cut(strings.Trim(step, "[]"), "="); ok {
			for _, e := range v {
				if m, ok := e.(map[string]any); ok && fmt.Sprint(m[key]) == value {
					return e, nil
				}
			}
			return nil, errors.New("no such element")
		}
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(v) {
			return nil, fmt.Errorf("no such element of %d", len(v))
		}
		return v[i], nil
	}
	return nil, errors.New("neither an object nor an array")
}
