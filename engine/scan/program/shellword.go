package program

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word expands w as the shell would, as far as that is known.
func (r *shellReader) word(w *syntax.Word) Value {
	if w == nil {
		return known("")
	}
	return r.parts(w.Parts, true)
}

func (r *shellReader) parts(parts []syntax.WordPart, bare bool) Value {
	values := make([]Value, 0, len(parts))
	for i, p := range parts {
		v := r.part(p, bare)
		if bare && len(parts) > 1 && splitsWord(parts, i) {
			v.Disguised = true
		}
		values = append(values, v)
	}
	if len(values) == 1 {
		return values[0]
	}
	return join("", values...)
}

// splitsWord reports whether quotes at i stand inside of a word of letters, as
// in c""url or w'ge't: no shell needs them there.
func splitsWord(parts []syntax.WordPart, i int) bool {
	var inside string
	switch p := parts[i].(type) {
	case *syntax.SglQuoted:
		inside = p.Value
	case *syntax.DblQuoted:
		if len(p.Parts) > 1 {
			return false
		}
		if len(p.Parts) == 1 {
			lit, ok := p.Parts[0].(*syntax.Lit)
			if !ok {
				return false
			}
			inside = lit.Value
		}
	default:
		return false
	}
	for _, c := range inside {
		if !letter(c) {
			return false
		}
	}
	before, after := byte(0), byte(0)
	if i > 0 {
		if lit, ok := parts[i-1].(*syntax.Lit); ok && lit.Value != "" {
			before = lit.Value[len(lit.Value)-1]
		}
	}
	if i+1 < len(parts) {
		if lit, ok := parts[i+1].(*syntax.Lit); ok && lit.Value != "" {
			after = lit.Value[0]
		}
	}
	if len(inside) > 4 {
		return false
	}
	return letter(rune(before)) && letter(rune(after)) || i == 0 && inside != "" && letter(rune(after))
}

func letter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (r *shellReader) part(p syntax.WordPart, bare bool) Value {
	switch p := p.(type) {
	case *syntax.Lit:
		return r.filled(literal(p.Value, bare))
	case *syntax.SglQuoted:
		if !p.Dollar {
			return r.filled(known(p.Value))
		}
		text, hid := unescape(p.Value)
		v := known(text)
		v.Disguised = hid
		return v
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			return known("")
		}
		return r.parts(p.Parts, false)
	case *syntax.ParamExp:
		return r.parameter(p)
	case *syntax.CmdSubst:
		v := r.statements(p.Stmts, Value{})
		v.Text = strings.TrimRight(v.Text, "\n")
		return v
	case *syntax.ProcSubst:
		v := r.statements(p.Stmts, Value{})
		v.ref = "substituted"
		return v
	}
	return Value{}
}

// filled adds the value that an unknown part of v may have.
func (r *trace) filled(v Value) Value {
	if r.inserted.Origin != 0 && strings.Contains(v.Text, unknown) {
		v = v.with(r.inserted)
	}
	return v
}

// literal undoes the backslashes of a literal. One in front of a letter means
// nothing to the shell and hides the word from searches.
func literal(s string, bare bool) Value {
	if !strings.Contains(s, `\`) || strings.Contains(s, `:\`) { // of Windows
		return known(s)
	}
	var b strings.Builder
	hid := false
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		switch {
		case next == '\n':
			i++
		case bare || strings.IndexByte("$`\"\\", next) >= 0:
			hid = hid || bare && i > 0 && letter(rune(next)) && letter(rune(s[i-1]))
			b.WriteByte(next)
			i++
		default:
			b.WriteByte('\\')
		}
	}
	v := known(b.String())
	v.Disguised = hid
	return v
}

func (r *shellReader) parameter(p *syntax.ParamExp) Value {
	if p.Param == nil {
		return Value{}
	}
	name := p.Param.Value
	v, ok := r.vars[name]
	if !ok {
		v = variable(name)
		if name == "IFS" {
			v.Disguised = true
		}
		if name == "@" || name == "*" || len(name) == 1 && name >= "0" && name <= "9" {
			v = Value{Text: "${" + name + "}"}
		}
	}
	switch {
	case p.Length:
		return Value{}
	case p.Excl:
		if pointed, ok := r.vars[v.Text]; ok {
			return pointed
		}
		return variable(v.Text).with(v)
	case p.Index != nil && len(v.items) > 0:
		return r.element(v, p.Index)
	case p.Slice != nil:
		return slice(v, p.Slice)
	case p.Repl != nil:
		return r.replaced(v, p.Repl)
	case p.Exp != nil && p.Exp.Word != nil && p.Exp.Op.String() == "##" && v.Known && p.Exp.Word.Lit() == "*/":
		base := known(v.Text[strings.LastIndexByte(v.Text, '/')+1:]).with(v)
		return base
	case p.Exp != nil && p.Exp.Word != nil && !ok:
		// ${x:-default} of a variable that is not set.
		if s := p.Exp.Op.String(); strings.Contains(s, "-") || strings.Contains(s, "=") {
			return r.word(p.Exp.Word).with(v)
		}
	}
	return v
}

func (r *shellReader) element(v Value, index syntax.ArithmExpr) Value {
	if w, ok := index.(*syntax.Word); ok {
		if i, ok := number(r.word(w).Text); ok && i >= 0 && i < len(v.items) {
			return v.items[i]
		}
	}
	return v
}

func slice(v Value, s *syntax.Slice) Value {
	from, ok1 := arithmetic(s.Offset)
	length, ok2 := arithmetic(s.Length)
	if !v.Known || !ok1 || s.Length != nil && !ok2 || from < 0 || from > len(v.Text) || length < 0 {
		return mixed(v)
	}
	text := v.Text[from:]
	if s.Length != nil {
		text = text[:min(length, len(text))]
	}
	out := known(text).with(v)
	out.Disguised = out.Disguised || len(text) < 3
	return out
}

func arithmetic(e syntax.ArithmExpr) (int, bool) {
	if w, ok := e.(*syntax.Word); ok {
		return number(w.Lit())
	}
	return 0, false
}

func number(s string) (int, bool) {
	n := 0
	if s == "" || len(s) > 7 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func (r *shellReader) replaced(v Value, rep *syntax.Replace) Value {
	orig, with := r.word(rep.Orig), r.word(rep.With)
	if !v.Known || !orig.Known || !with.Known || orig.Text == "" || strings.ContainsAny(orig.Text, "*?[") {
		return mixed(v, with)
	}
	n := 1
	if rep.All {
		n = -1
	}
	out := known(strings.Replace(v.Text, orig.Text, with.Text, n)).with(v, with)
	out.Disguised = true
	return out
}

// expandPlain expands only variables in a word that no parser saw.
func (r *memory) expandPlain(w string) Value {
	name := strings.Trim(strings.TrimPrefix(w, "$"), "{}")
	if strings.HasPrefix(w, "$") && identifier(name) {
		if v, ok := r.vars[name]; ok {
			return v
		}
		return variable(name)
	}
	return known(w)
}

func identifier(s string) bool {
	for i, c := range s {
		if !(c == '_' || letter(c) || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}
