package composed

import (
	"go.starlark.net/syntax"
)

// wraps finds the one call whose answer a program returns unchanged for its unchanged
// input: callers could call that tool directly. A program that renames a member, adds a
// default or examines the answer adapts the tool, and is not reported.
func wraps(f *syntax.File) (Call, bool) {
	main, others := onlyMain(f)
	if main == nil || others {
		return Call{}, false
	}
	input := main.Params[0].(*syntax.Ident).Name //nolint:forcetypeassert // shape has checked
	body := main.Body
	if len(body) > 0 && isText(body[0]) {
		body = body[1:]
	}
	call, ok := answered(body).(*syntax.CallExpr)
	if !ok {
		return Call{}, false
	}
	dot, ok := call.Fn.(*syntax.DotExpr)
	if !ok || !named(dot.X, toolsName) || !handsOn(call.Args, input) {
		return Call{}, false
	}
	return Call{Name: dot.Name.Name, Pos: place(dot.Name.NamePos)}, true
}

// onlyMain returns the definition of main, and whether there are other statements besides
// docstrings.
func onlyMain(f *syntax.File) (main *syntax.DefStmt, others bool) {
	for _, stmt := range f.Stmts {
		d, ok := stmt.(*syntax.DefStmt)
		switch {
		case ok && d.Name.Name == "main":
			main = d
		case !isText(stmt):
			others = true
		}
	}
	return main, others
}

// answered returns the expression whose value a body returns without doing anything else:
// return X, or v = X and return v; nil for any other body.
func answered(body []syntax.Stmt) syntax.Expr {
	if len(body) == 0 || len(body) > 2 {
		return nil
	}
	end, ok := body[len(body)-1].(*syntax.ReturnStmt)
	if !ok || end.Result == nil {
		return nil
	}
	if len(body) == 1 {
		return unparen(end.Result)
	}
	set, ok := body[0].(*syntax.AssignStmt)
	if !ok || set.Op != syntax.EQ {
		return nil
	}
	if v, ok := set.LHS.(*syntax.Ident); !ok || !named(end.Result, v.Name) {
		return nil
	}
	return unparen(set.RHS)
}

// handsOn reports whether arguments are the members of the input under their own names:
// **input, input, or a = input["a"], b = input.get("b").
func handsOn(args []syntax.Expr, input string) bool {
	if len(args) == 0 {
		return false
	}
	if len(args) == 1 {
		all, ok := args[0].(*syntax.UnaryExpr)
		if ok && all.Op == syntax.STARSTAR && named(all.X, input) || named(args[0], input) {
			return true
		}
	}
	for _, arg := range args {
		pair, ok := arg.(*syntax.BinaryExpr)
		if !ok || pair.Op != syntax.EQ {
			return false
		}
		name, ok := pair.X.(*syntax.Ident)
		if !ok || member(pair.Y, input) != name.Name {
			return false
		}
	}
	return true
}

// member returns the name in input["name"] and input.get("name"), "" for anything else.
func member(e syntax.Expr, input string) string {
	switch e := unparen(e).(type) {
	case *syntax.IndexExpr:
		if named(e.X, input) {
			return literal(e.Y)
		}
	case *syntax.CallExpr:
		get, ok := e.Fn.(*syntax.DotExpr)
		if ok && get.Name.Name == "get" && named(get.X, input) && len(e.Args) == 1 {
			return literal(e.Args[0])
		}
	}
	return ""
}

func literal(e syntax.Expr) string {
	if lit, ok := unparen(e).(*syntax.Literal); ok {
		s, _ := lit.Value.(string)
		return s
	}
	return ""
}

func isText(s syntax.Stmt) bool {
	e, ok := s.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	lit, ok := e.X.(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}

func named(e syntax.Expr, name string) bool {
	id, ok := unparen(e).(*syntax.Ident)
	return ok && id.Name == name
}
