package program

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// statement walks s, which reads input, and returns its standard output.
func (r *shellReader) statement(s *syntax.Stmt, input Value) Value {
	if s == nil || s.Cmd == nil {
		if s != nil {
			r.redirect(s.Redirs, &input)
		}
		return Value{}
	}
	target := r.redirect(s.Redirs, &input)
	out := r.shellCommand(s.Cmd, input)
	if target.Text != "" {
		r.write(target, out)
		return Value{}
	}
	return out
}

func (r *shellReader) statements(list []*syntax.Stmt, input Value) Value {
	var outs []Value
	for _, s := range list {
		if out := r.statement(s, input); out.Text != "" || out.Origin != 0 {
			outs = append(outs, out)
		}
	}
	if len(outs) == 1 {
		return outs[0]
	}
	return join("\n", outs...).unlessEmpty(len(outs))
}

func (v Value) unlessEmpty(n int) Value {
	if n == 0 {
		return Value{}
	}
	return v
}

func (r *shellReader) shellCommand(c syntax.Command, input Value) Value {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return r.call(c, input)
	case *syntax.BinaryCmd:
		return r.binary(c, input)
	case *syntax.Block:
		return r.statements(c.Stmts, input)
	case *syntax.Subshell:
		return r.statements(c.Stmts, input)
	case *syntax.IfClause:
		return r.ifClause(c, input)
	case *syntax.WhileClause:
		r.readVariables(c.Cond, input)
		return join("\n", r.statements(c.Cond, input), r.statements(c.Do, input))
	case *syntax.ForClause:
		if w, ok := c.Loop.(*syntax.WordIter); ok {
			var items []Value
			for _, item := range w.Items {
				items = append(items, r.word(item))
			}
			if len(items) == 1 {
				r.set(w.Name.Value, items[0])
			} else {
				v := mixed(items...)
				v.choices = leaves(items, nil)
				r.set(w.Name.Value, v)
			}
		}
		return r.statements(c.Do, input)
	case *syntax.CaseClause:
		var outs []Value
		for _, item := range c.Items {
			outs = append(outs, r.statements(item.Stmts, input))
		}
		return mixed(outs...)
	case *syntax.FuncDecl:
		r.function(c, input)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			r.assign(a)
		}
	case *syntax.TimeClause:
		return r.statement(c.Stmt, input)
	case *syntax.CoprocClause:
		return r.statement(c.Stmt, input)
	}
	return Value{}
}

// function reads the definition of a function. A function without a name, which zsh has, runs at once.
func (r *shellReader) function(c *syntax.FuncDecl, input Value) {
	names := c.Names
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, n := range names {
		r.functions[n.Value] = true
	}
	out := r.statement(c.Body, input)
	for _, n := range names {
		r.vars[n.Value+"()"] = out
		if c.Body != nil {
			r.bodies[n.Value] = c.Body
		}
	}
}

// called reads the body of a function with the arguments of one call, and returns its
// output. It reports whether the body could be read.
func (r *shellReader) called(name string, args []Value, input Value) (Value, bool) {
	body := r.bodies[name]
	if body == nil || len(args) == 0 || r.depth >= maxDepth {
		return Value{}, false
	}
	size := perCall + int(body.End().Offset()) - int(body.Pos().Offset())
	if r.nested < size {
		return Value{}, false
	}
	r.nested -= size
	outer := map[string]Value{}
	for n := range 9 {
		key := string(rune('1' + n))
		if v, ok := r.vars[key]; ok {
			outer[key] = v
		}
		delete(r.vars, key)
		if n < len(args) {
			r.vars[key] = args[n]
		}
	}
	for _, key := range []string{"@", "*"} {
		if v, ok := r.vars[key]; ok {
			outer[key] = v
		}
		r.vars[key] = join(" ", args...)
	}
	delete(r.bodies, name)
	r.depth++
	out := r.statement(body, input)
	r.depth--
	r.bodies[name] = body
	for n := range 9 {
		delete(r.vars, string(rune('1'+n)))
	}
	delete(r.vars, "@")
	delete(r.vars, "*")
	for key, v := range outer {
		r.vars[key] = v
	}
	return out, true
}

func (r *shellReader) ifClause(c *syntax.IfClause, input Value) Value {
	out := mixed(r.statements(c.Cond, input), r.statements(c.Then, input))
	for e := c.Else; e != nil; e = e.Else {
		out = mixed(out, r.statements(e.Cond, input), r.statements(e.Then, input))
	}
	return out
}

func (r *shellReader) binary(c *syntax.BinaryCmd, input Value) Value {
	left := r.statement(c.X, input)
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		return r.statement(c.Y, left)
	default:
		right := r.statement(c.Y, input)
		switch {
		case left.Text == "" && left.Origin == 0:
			return right
		case right.Text == "" && right.Origin == 0:
			return left
		}
		return join("\n", left, right)
	}
}

// readVariables assigns the piped input to the variables of "while read x".
func (r *shellReader) readVariables(cond []*syntax.Stmt, input Value) {
	for _, s := range cond {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "read" {
			for _, a := range call.Args[1:] {
				r.set(a.Lit(), mixed(input))
			}
		}
	}
}

// call runs a simple command.
func (r *shellReader) call(c *syntax.CallExpr, input Value) Value {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return Value{}
	}
	// Assignments in front of a command apply only to that command, but are
	// followed as if they stayed.
	for _, a := range c.Assigns {
		r.assign(a)
	}
	var words []Value
	for i, w := range c.Args {
		v := r.word(w)
		if i == 0 && v.Known && strings.ContainsAny(v.Text, " \t\n") && !quotedWhole(w) {
			// An unquoted variable holds a whole command.
			words = append(words, fieldsOf(v)...)
			continue
		}
		if alias, ok := r.aliases[v.Text]; ok && i == 0 {
			words = append(words, fieldsOf(alias)...)
			continue
		}
		if v.Known && strings.Contains(v.Text, " ") && unquotedExpansion(w) {
			words = append(words, fieldsOf(v)...)
			continue
		}
		words = append(words, v)
	}
	for i := range words {
		if words[i].Text == "" && words[i].Known && i == 0 && len(words) > 1 {
			words = words[1:]
			break
		}
	}
	return r.command(words, input)
}

func quotedWhole(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	switch w.Parts[0].(type) {
	case *syntax.DblQuoted, *syntax.SglQuoted:
		return true
	}
	return false
}

// unquotedExpansion reports whether a word has an expansion that the shell
// splits at blanks.
func unquotedExpansion(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return true
		}
	}
	return false
}

func fieldsOf(v Value) []Value {
	var out []Value
	for _, f := range strings.Fields(v.Text) {
		w := known(f)
		out = append(out, w.with(v))
	}
	return out
}

func (r *shellReader) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		var items []Value
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				items = append(items, r.word(e.Value))
			}
		}
		v := join(" ", items...)
		v.items = items
		r.set(name, v)
	case a.Value != nil && a.Append:
		r.set(name, join("", r.vars[name], r.word(a.Value)))
	case a.Value != nil:
		r.set(name, r.word(a.Value))
	case a.Naked:
	default:
		r.set(name, known(""))
	}
}

// set assigns v to a variable. In a silent pass the variable keeps its earlier origins
// and names too.
func (r *trace) set(name string, v Value) {
	if name == "" {
		return
	}
	if old, ok := r.vars[name]; ok && r.silent {
		v = v.with(old)
	}
	r.vars[name] = v
}

// redirect follows redirections: input from files and here-documents, and the
// path that output goes to, if any.
func (r *shellReader) redirect(list []*syntax.Redirect, input *Value) (target Value) {
	for _, d := range list {
		switch d.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			w := r.word(d.Word)
			if stored, ok := r.files[w.Text]; ok {
				*input = stored
			} else if w.ref == "substituted" {
				*input = w
			} else {
				*input = file(w)
			}
			if d.Op == syntax.RdrInOut {
				target = w
				if w.Disguised {
					r.line("exec 3<>"+w.Text, true)
				}
			}
		case syntax.Hdoc, syntax.DashHdoc:
			if d.Hdoc != nil {
				*input = r.word(d.Hdoc)
			}
		case syntax.WordHdoc:
			*input = r.word(d.Word)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			w := r.word(d.Word)
			if w.Text != "/dev/null" && w.Text != "" {
				target = w
			}
		}
	}
	return target
}

// write reports that data is redirected to path and stores it there.
func (r *trace) write(path, data Value) {
	if strings.HasPrefix(path.Text, "/dev/tcp/") || strings.HasPrefix(path.Text, "/dev/udp/") {
		r.act(Act{Kind: Send, Name: "redirect", To: path, Data: data})
		return
	}
	r.act(Act{Kind: Write, Name: "redirect", To: path, Data: data})
	r.store(path, data)
}

func (r *memory) store(path, data Value) {
	if path.Text == "" || path.Text == unknown {
		return
	}
	if old, ok := r.files[path.Text]; ok {
		data = data.with(old)
	}
	r.files[path.Text] = data
}
