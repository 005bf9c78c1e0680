package condition_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/condition"
)

func vocabulary() *condition.Vocabulary {
	colours := []string{"red", "green", "blue"}
	return &condition.Vocabulary{
		Facts: []condition.Fact{
			{Name: "colour", Type: "string", Values: colours},
			{Name: "size", Type: "int"},
			{Name: "share", Type: "double"},
			{Name: "ready", Type: "bool"},
			{Name: "words", Type: "list(string)"},
			{Name: "boxes", Type: "list(Box)"},
			{Name: "counts", Type: "map(string, int)"},
		},
		Objects: []condition.Object{{Name: "Box", Fields: []condition.Fact{
			{Name: "label", Type: "string"}, {Name: "colour", Type: "string", Values: colours}, {Name: "items", Type: "list(string)"},
		}}},
		Functions: []condition.Function{
			{
				Name: "said", Args: 1, Usage: `said("hel*")`,
				Call: func(f condition.Facts, args []string) (bool, error) {
					for _, w := range f.Fact("words").([]string) {
						if ok, _ := path.Match(args[0], w); ok {
							return true, nil
						}
					}
					return false, nil
				},
				Cost:  func(condition.Facts) int { return 1000 },
				Check: func(_ int, text string) error { _, err := path.Match(text, ""); return err },
			},
			{Name: "at_least", Args: 2, Ordered: true, Usage: `at_least(colour, "green")`, Call: func(_ condition.Facts, args []string) (bool, error) {
				order := strings.Join(colours, " ")
				a, b := strings.Index(order, args[0]), strings.Index(order, args[1])
				if a < 0 || b < 0 {
					return false, errors.New("no colour")
				}
				return a >= b, nil
			}},
		},
	}
}

var facts = condition.FactsFunc(func(name string) any {
	return map[string]any{
		"colour": "green", "size": 7, "share": 0.5, "ready": true, "words": []string{"hello", "you"},
		"boxes":  []any{map[string]any{"label": "a", "colour": "red", "items": []string{"x"}}},
		"counts": map[string]int{"a": 3},
	}[name]
})

func TestHolds(t *testing.T) {
	v := vocabulary()
	for text, want := range map[string]bool{
		`colour == "green" && size > 5`: true,
		`colour in ["red", "blue"]`:     false,
		`said("hel*")`:                  true,
		`said("nobody")`:                false,
		`at_least(colour, "green") && !at_least(colour, "blue")`:    true,
		`boxes.exists(b, b.colour == "red" && "x" in b.items)`:      true,
		`boxes.all(b, b.label.startsWith("b"))`:                     false,
		`words.exists(w, w.matches("^y"))`:                          true,
		`has(counts.a) && counts["a"] == 3 && share < 1.0 && ready`: true,
		"// why\nsize == 7":                                         true,
	} {
		c, problems := v.Compile(text)
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		if got, err := c.Holds(facts); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	v := vocabulary()
	for _, c := range []struct{ text, want string }{
		{`coluor == "red"`, `1:1 no fact or function is called "coluor": did you mean colour?`},
		{`size > 5 && sise < 9`, `1:13 no fact or function is called "sise": did you mean size?`},
		{"size > 5 &&\n  redy", `2:3 no fact or function is called "redy": did you mean ready?`},
		{`boxes.exist(b, b.size > 5)`, `1:12 no fact or function is called "exist": did you mean exists?`},
		{"size > 5 &&\n  size > \n", `2:9 broken condition: it ends where a value is expected: say what to compare with, such as size > 1000`},
		{`boxes.exists(b, b.lable == "x")`, `1:18 nothing here has a field "lable": did you mean label?`},
		{`size == "7"`, `1:6 == does not go with int, string: compare values of one type; docs/policies.md lists the type of each fact`},
		{`size`, `1:1 the condition answers with a value of type int instead of yes or no: compare it with something, such as size > 1000`},
		{`colour == "gren"`, `1:11 colour is never "gren": did you mean "green"?`},
		{`"pink" != colour`, `1:1 colour is never "pink": it is one of red, green, blue`},
		{`colour in ["red", "bleu"]`, `1:19 colour is never "bleu": did you mean "blue"?`},
		{`boxes.exists(b, b.colour == "rad")`, `1:29 colour is never "rad": did you mean "red"?`},
		{`colour >= "green"`, `1:8 the values of colour are words without an order: write at_least(colour, "blue"), or compare with == and in`},
		{`at_least(colour, "grün")`, `1:18 colour is never "grün": it is one of red, green, blue`},
		{`said()`, `1:5 said is called with the wrong number of arguments: write said("hel*")`},
		{`said("[")`, `1:6 syntax error in pattern: write said("hel*")`},
		{`sayd("x")`, `1:5 no fact or function is called "sayd": did you mean said?`},
		{`size > `, "1:7 broken condition: it ends where a value is expected: say what to compare with, such as size > 1000\n"},
		{`size = 5`, "1:6 broken condition: \"=\" has no place here: write ==\n"},
		{`ready and size > 5`, "1:7 broken condition: \"and\" has no place here: write &&\n"},
		{`not ready`, "1:5 broken condition: it is complete before \"ready\": join two conditions with && or ||"},
		{"ready\nsize > 5", "2:1 broken condition: it is complete before \"size\""},
		{`(size > 5`, "1:10 broken condition: ) is missing here: close what was opened\n"},
		{`colour == "red`, "1:11 broken condition: a text is not closed on its line: \"red: end it with the quotation mark"},
		{`colour == “red”`, "1:11 broken condition: \"“\" has no place here: write \"\n"},
		{`if ready`, "1:1 broken condition: \"if\" has no place here: write it as CEL"},
		{`ready ? size`, "1:13 broken condition: it ends where : is expected"},
		{`@facts == 1`, `1:1 broken condition: "@" has no place here`},
		{``, `1:1 broken condition: it ends where a value is expected`},
		{`dyn(size)`, `1:1 the condition answers with something unknown instead of yes or no`},
		{strings.Repeat("(", 60) + "ready" + strings.Repeat(")", 60), `recursion limit`},
		{strings.Repeat("ready && ", 300) + "ready", `1:1 the condition has 2705 bytes, more than 2000: split it into several rules`},
	} {
		_, problems := v.Compile(c.text)
		got := ""
		for _, p := range problems {
			got += fmt.Sprintf("%d:%d %s: %s\n", p.Line, p.Column, p.Message, p.Fix)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%.60q:\n%swant\n%s", c.text, got, c.want)
		}
		if strings.Contains(got, "EOF") || strings.Contains(got, "IDENTIFIER") {
			t.Errorf("%.60q: words of the library's grammar: %s", c.text, got)
		}
	}
}

// TestHoldsFails: a failing evaluation is an error, never an answer.
func TestHoldsFails(t *testing.T) {
	v := vocabulary()
	for _, text := range []string{
		`size / (size - 7) == 1`,
		`counts["b"] == 1`,
		`words[9] == "x"`,
		`at_least(words[0], "red")`,
		`words.all(a, words.all(b, words.all(c, words.all(d, words.all(e, words.all(f, words.all(g, words.all(h, said("?*") || a+b+c+d+e+f+g+h != ""))))))))`,
	} {
		c, problems := v.Compile(text)
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		if got, err := c.Holds(facts); got || err == nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := (*condition.Condition)(nil).Holds(facts); err == nil {
		t.Error("nothing was compiled, and it answers")
	}
}

func FuzzCompile(f *testing.F) {
	for _, text := range []string{`size > 5`, `size = 'a`, `boxes.exists(b, b.label == "x")`, `said("x")`, `at_least(colour, "red")`, "\x00", `"`, `a.b.c`} {
		f.Add(text)
	}
	v := vocabulary()
	f.Fuzz(func(t *testing.T, text string) {
		c, problems := v.Compile(text)
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("%v with %v", c, problems)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Fix == "" {
				t.Errorf("incomplete: %+v", p)
			}
			if strings.Contains(p.Message, "IDENTIFIER") && !strings.Contains(text, "IDENTIFIER") {
				t.Errorf("words of the library's grammar: %+v", p)
			}
		}
		if c != nil {
			_, _ = c.Holds(facts)
		}
	})
}

func BenchmarkHolds(b *testing.B) {
	c, problems := vocabulary().Compile(`colour == "green" && size > 5`)
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	colour, size := any("green"), any(7)
	facts := condition.FactsFunc(func(name string) any {
		if name == "colour" {
			return colour
		}
		return size
	})
	for b.Loop() {
		if ok, err := c.Holds(facts); !ok || err != nil {
			b.Fatal(err)
		}
	}
}
