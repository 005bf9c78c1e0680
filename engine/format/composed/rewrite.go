package composed

import "go.starlark.net/syntax"

// The functions that rewrite inserts. No program can spell their names.
const (
	binaryName  = "$binary"  // ("+", x, y)
	inplaceName = "$inplace" // ("+", x, y): the x of x += y
	augmentName = "$augment" // ("+", x, i, y): x[i] += y
	attrName    = "$attr"    // (x, "name")
	keyName     = "$key"     // (k): k, after checking that it is small enough to hash
	madeName    = "$made"    // (v): v, after charging for it
)

// rewrite replaces operations that could take much time or memory in one step by calls of
// functions that measure first: operators, methods, keys, slices and spread arguments. It
// keeps the meaning of the program, and positions for errors.
func rewrite(f *syntax.File) { statements(f.Stmts) }

func statements(list []syntax.Stmt) {
	for i, s := range list {
		list[i] = statement(s)
	}
}

func statement(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return assignment(s)
	case *syntax.DefStmt:
		parameters(s.Params)
		statements(s.Body)
	case *syntax.ExprStmt:
		s.X = expr(s.X)
	case *syntax.IfStmt:
		s.Cond = expr(s.Cond)
		statements(s.True)
		statements(s.False)
	case *syntax.ForStmt:
		s.Vars, s.X = target(s.Vars), expr(s.X)
		statements(s.Body)
	case *syntax.WhileStmt:
		s.Cond = expr(s.Cond)
		statements(s.Body)
	case *syntax.ReturnStmt:
		s.Result = expr(s.Result)
	}
	return s
}

func assignment(s *syntax.AssignStmt) syntax.Stmt {
	s.RHS = expr(s.RHS)
	if s.Op == syntax.EQ {
		s.LHS = target(s.LHS)
		return s
	}
	op := text(s.OpPos, (s.Op - syntax.PLUS_EQ + syntax.PLUS).String())
	switch x := unparen(s.LHS).(type) {
	case *syntax.Ident:
		read := &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		s.RHS, s.Op = call(s.OpPos, inplaceName, op, read, s.RHS), syntax.EQ
	case *syntax.IndexExpr:
		return &syntax.ExprStmt{X: call(s.OpPos, augmentName, op, expr(x.X), expr(x.Y), s.RHS)}
	}
	s.LHS = target(s.LHS) // it fails at run time: no value has settable attributes
	return s
}

// unparen removes parentheses.
func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// target rewrites the target of an assignment.
func target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = target(e.X)
	case *syntax.TupleExpr:
		for i := range e.List {
			e.List[i] = target(e.List[i])
		}
	case *syntax.ListExpr:
		for i := range e.List {
			e.List[i] = target(e.List[i])
		}
	case *syntax.IndexExpr:
		e.X, e.Y = expr(e.X), key(e.Y)
	case *syntax.DotExpr:
		e.X = expr(e.X)
	}
	return e
}

func parameters(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = expr(b.Y)
		}
	}
}

func exprs(list []syntax.Expr) {
	for i, e := range list {
		list[i] = expr(e)
	}
}

// expr rewrites an expression that is read.
func expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = expr(e.X)
	case *syntax.BinaryExpr:
		e.X, e.Y = expr(e.X), expr(e.Y)
		if e.Op != syntax.AND && e.Op != syntax.OR {
			return call(e.OpPos, binaryName, text(e.OpPos, e.Op.String()), e.X, e.Y)
		}
	case *syntax.UnaryExpr:
		e.X = expr(e.X)
		if e.Op != syntax.NOT {
			return call(e.OpPos, madeName, e)
		}
	case *syntax.CallExpr:
		return called(e)
	case *syntax.DotExpr:
		return call(e.Dot, attrName, expr(e.X), text(e.Name.NamePos, e.Name.Name))
	case *syntax.IndexExpr:
		e.X, e.Y = expr(e.X), key(e.Y)
	case *syntax.SliceExpr:
		e.X, e.Lo, e.Hi, e.Step = expr(e.X), expr(e.Lo), expr(e.Hi), expr(e.Step)
		return call(e.Lbrack, madeName, e)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = expr(e.Cond), expr(e.True), expr(e.False)
	case *syntax.ListExpr:
		exprs(e.List)
	case *syntax.TupleExpr:
		exprs(e.List)
	case *syntax.DictExpr:
		exprs(e.List)
		return call(e.Lbrace, madeName, e)
	case *syntax.DictEntry:
		e.Key, e.Value = key(e.Key), expr(e.Value)
	case *syntax.LambdaExpr:
		parameters(e.Params)
		e.Body = expr(e.Body)
	case *syntax.Comprehension:
		e.Body = expr(e.Body)
		clauses(e.Clauses)
		return call(e.Lbrack, madeName, e)
	}
	return e
}

func clauses(list []syntax.Node) {
	for _, c := range list {
		switch c := c.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = target(c.Vars), expr(c.X)
		case *syntax.IfClause:
			c.Cond = expr(c.Cond)
		}
	}
}

// called rewrites a call; a call of a tool keeps its form.
func called(e *syntax.CallExpr) syntax.Expr {
	dot, isDot := e.Fn.(*syntax.DotExpr)
	if x, ok := dotted(dot, isDot); !ok || x.Name != toolsName {
		e.Fn = expr(e.Fn)
	}
	for i, a := range e.Args {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name = value
				a.Y = expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				a.X = call(a.OpPos, madeName, expr(a.X))
				continue
			}
		}
		e.Args[i] = expr(a)
	}
	return e
}

func dotted(dot *syntax.DotExpr, ok bool) (*syntax.Ident, bool) {
	if !ok {
		return nil, false
	}
	x, ok := dot.X.(*syntax.Ident)
	return x, ok
}

// key rewrites a lookup key; a literal is small.
func key(e syntax.Expr) syntax.Expr {
	if _, ok := unparen(e).(*syntax.Literal); ok {
		return e
	}
	return call(syntax.Start(e), keyName, expr(e))
}

func call(at syntax.Position, name string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Rparen: at, Args: args}
}

func text(at syntax.Position, s string) *syntax.Literal {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: at, Raw: `"` + s + `"`, Value: s}
}
