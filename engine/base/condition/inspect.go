package condition

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// inspector finds errors beyond types: texts that a fact never has, and order comparisons of
// words.
type inspector struct {
	v     *Vocabulary
	tree  *ast.AST
	found []Problem
	calls []string
}

func (v *Vocabulary) inspect(tree *ast.AST) (calls []string, found []Problem) {
	i := &inspector{v: v, tree: tree}
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(i.visit))
	return i.calls, i.found
}

func (i *inspector) visit(e ast.Expr) {
	//defence:conditions-double-nothing
	if i.doubles(e) && len(i.found) == 0 { // what is around it is no second fault
		i.report(e, "compare the parts one by one", "a condition joins no lists, and puts no computed list or map into another one")
	}
	if e.Kind() != ast.CallKind {
		return
	}
	call := e.AsCall()
	switch name := call.FunctionName(); name {
	case operators.Equals, operators.NotEquals:
		a, b := call.Args()[0], call.Args()[1]
		i.compare(a, b)
		i.compare(b, a)
	case operators.In:
		i.compareList(call.Args()[0], call.Args()[1])
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		i.order(e, call)
	default:
		i.function(strings.TrimPrefix(name, "@"), call)
	}
}

// doubles reports whether an expression can make a value twice as large as its parts at a fixed cost. A chain of 40 such
// steps makes 2^40 elements, which the limit of an evaluation does not count, and one comparison of them never ends.
func (i *inspector) doubles(e ast.Expr) bool {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Add {
		return i.nests(e)
	}
	a, b := e.AsCall().Args()[0], e.AsCall().Args()[1]
	joins := slices.Contains(i.tree.GetOverloadIDs(e.ID()), overloads.AddList)
	// The macros map and filter add one element at a time.
	one := a.Kind() == ast.IdentKind && (a.AsIdent() == parser.AccumulatorName || a.AsIdent() == parser.HiddenAccumulatorName) && b.Kind() == ast.ListKind && b.AsList().Size() == 1
	return joins && !one
}

// nests reports whether a list or map has an element that is a computed list or map.
func (i *inspector) nests(e ast.Expr) bool {
	var elements []ast.Expr
	switch e.Kind() {
	case ast.ListKind:
		elements = e.AsList().Elements()
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			elements = append(elements, entry.AsMapEntry().Value())
		}
	}
	return slices.ContainsFunc(elements, func(e ast.Expr) bool {
		kind := i.tree.GetType(e.ID()).Kind()
		literal := e.Kind() == ast.ListKind || e.Kind() == ast.MapKind // visited, too
		return !literal && (kind == types.ListKind || kind == types.MapKind || kind == types.DynKind || kind == types.AnyKind)
	})
}

func (i *inspector) report(e ast.Expr, fix, format string, args ...any) {
	at := i.tree.SourceInfo().GetStartLocation(e.ID())
	i.found = append(i.found, Problem{Line: max(at.Line(), 1), Column: max(at.Column()+1, 1), Message: fmt.Sprintf(format, args...), Fix: fix})
}

// compare checks a text that is compared with a fact.
func (i *inspector) compare(of, with ast.Expr) {
	f, ok := i.fact(of)
	text, literal := textOf(with)
	if !ok || !literal || len(f.Values) == 0 || slices.Contains(f.Values, text) {
		return
	}
	fix := "it is one of " + strings.Join(f.Values, ", ")
	if near := strictyaml.Nearest(text, f.Values); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	i.report(with, fix, "%s is never %q", f.Name, text)
}

// compareList checks the texts of a list that is searched for a fact.
func (i *inspector) compareList(of, list ast.Expr) {
	if list.Kind() == ast.ListKind {
		for _, e := range list.AsList().Elements() {
			i.compare(of, e)
		}
	}
}

func (i *inspector) order(e ast.Expr, call ast.CallExpr) {
	for _, arg := range call.Args() {
		if f, ok := i.fact(arg); ok && len(f.Values) > 0 {
			i.report(e, fmt.Sprintf("write at_least(%s, %q), or compare with == and in", f.Name, f.Values[len(f.Values)-1]),
				"the values of %s are words without an order", f.Name)
			return
		}
	}
}

// function checks the literal arguments of one of the vocabulary's functions.
func (i *inspector) function(name string, call ast.CallExpr) {
	n := slices.IndexFunc(i.v.Functions, func(f Function) bool { return f.Name == name })
	if n < 0 || len(call.Args()) != i.v.Functions[n].Args+1 {
		return
	}
	f, args := i.v.Functions[n], call.Args()[1:]
	i.calls = append(i.calls, name)
	if f.Ordered {
		i.compare(args[0], args[1])
	}
	for at, arg := range args {
		if text, literal := textOf(arg); literal && f.Check != nil {
			if err := f.Check(at, text); err != nil {
				i.report(arg, "write "+f.Usage, "%v", err)
			}
		}
	}
}

// fact returns the fact, or the field of an object, that an expression names.
func (i *inspector) fact(e ast.Expr) (Fact, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return named(i.v.Facts, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		t := i.tree.GetType(s.Operand().ID())
		if t == nil || t.Kind() != types.StructKind {
			return Fact{}, false
		}
		for _, o := range i.v.Objects {
			if o.Name == t.TypeName() {
				return named(o.Fields, s.FieldName())
			}
		}
	}
	return Fact{}, false
}

func named(facts []Fact, name string) (Fact, bool) {
	i := slices.IndexFunc(facts, func(f Fact) bool { return f.Name == name })
	if i < 0 {
		return Fact{}, false
	}
	return facts[i], true
}

func textOf(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}
