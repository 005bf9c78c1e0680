package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/condition"
)

func doublingDefences() map[string]defence {
	return map[string]defence{
		"conditions-double-nothing": {attack: "TestAttackDoublingConditions"},
		"long-texts-are-charged":    {attack: "TestAttackLongTexts"},
	}
}

// A condition of a policy, which everyone evaluates who looks at its proposal, makes no value that doubles with
// each of its parts: a comparison of 2^40 elements is one step for the limit, and ends for no interrupt.
func TestAttackDoublingConditions(t *testing.T) {
	words := &condition.Vocabulary{Facts: []condition.Fact{{Name: "paths", Type: "list(string)"}}}
	const depth = 30
	for _, start := range []string{"[[1]]", "[['a']]", "[paths]", "[dyn([1])]", "[{'a': 1}]"} {
		for _, step := range []string{
			"a+a", "[a,a]", "[1,2].map(i,a)", "{'x':a,'y':a}", "true?[a,a]:[a]", "[a]+[a]", "[a].map(b,[b,b])[0]", "{1:a,2:a}", "[dyn(a),dyn(a)]", "[a,a].filter(b,true)", "[[a],[a]]", "[{'x':a},{'x':a}]",
		} {
			for _, end := range []string{".all(x,x==x)", ".exists(x,x!=x)", ".all(x,x in [x])"} {
				text := start + strings.Repeat(".map(a,"+step+")", depth) + end
				t.Run(start+step+end, func(t *testing.T) {
					if _, problems := words.Compile(text); len(problems) == 0 {
						(&world{T: t}).succeeds("it is taken")
					}
				})
			}
		}
	}
	for _, honest := range []string{
		"paths.filter(p, p.startsWith('a')).size() > 1", "paths.map(p, p + 'x').exists(p, p in ['ax', 'bx'])", "size(paths) + 1 > 2", "[[1, 2], [3]].exists(x, size(x) == 1)",
		"{'a': [1, 2]}['a'][0] == 1", "paths.map(p, size(p) > 3, p)[0] == 'abcd'", "duration('1h') + duration('1s') > duration('2s')",
	} {
		if _, problems := words.Compile(honest); len(problems) > 0 {
			t.Errorf("%s is refused: %+v", honest, problems)
		}
	}
}

// Functions that read a text of megabytes cost more than those of short ones: a loop of them ends early.
func TestAttackLongTexts(t *testing.T) {
	words := &condition.Vocabulary{}
	const long = "['aaaaaaaa']"
	for _, kind := range []string{"%s", "bytes(%s)", "string(bytes(%s))"} {
		for _, call := range []string{
			"size(x) > 0", "x in [x]", "x in [x,x,x]", "size(x) in [size(x)]", "x in {x: 1}", "string(x) != ''", "bytes(x) != b''", "size(string(x)) > 0", "size(bytes(x)) > 0",
		} {
			for loops := 3; loops <= 6; loops++ {
				text := "true"
				for n, body := 0, call; n < loops; n++ {
					body = fmt.Sprintf("[1,2,3,4,5,6,7,8,9,0].all(i%d,%s)", n, body)
					text = long + strings.Repeat(".map(a,a+a)", 12) + ".map(x," + fmt.Sprintf(kind, "x") + ").all(x," + body + ")"
				}
				t.Run(fmt.Sprintf(kind, "x")+call+fmt.Sprint(loops), func(t *testing.T) {
					c, problems := words.Compile(text)
					if len(problems) > 0 {
						t.Fatalf("%+v", problems)
					}
					if is, cost, err := c.Evaluate(nil); err == nil {
						(&world{T: t}).succeeds("it is %v for %d steps", is, cost)
					}
				})
			}
		}
	}
}
