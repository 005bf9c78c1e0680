package program

import "strings"

// joined returns the sum of a and b. Pieces of fewer letters than a word are a disguise.
func joined(a, b Value) Value {
	if a.items != nil && b.items != nil {
		out := mixed(a, b)
		out.items = append(append([]Value{}, a.items...), b.items...)
		out.items = out.items[:min(len(out.items), maxItems)]
		return out
	}
	out := join("", a, b)
	out.Disguised = out.Disguised || brokenWord(a.Text, b.Text) && a.Known && b.Known
	return out
}

// brokenWord reports whether a sum of constants tears a word apart.
func brokenWord(a, b string) bool {
	if a == "" || b == "" || !letter(rune(a[len(a)-1])) || !letter(rune(b[0])) {
		return false
	}
	tail, head := 0, 0
	for i := len(a) - 1; i >= 0 && letter(rune(a[i])); i-- {
		tail++
	}
	for i := 0; i < len(b) && letter(rune(b[i])); i++ {
		head++
	}
	return tail+head <= 10
}

// either returns a value that is a or b: the text of a, if it has one, with the
// origins of both.
func either(a, b Value) Value {
	if a.Text == "" {
		return b.with(a)
	}
	return a.with(b)
}

// formatted fills a %-format.
func formatted(format, args Value) Value {
	if !strings.Contains(format.Text, "%s") {
		return mixed(format, args)
	}
	items := args.items
	if items == nil {
		items = []Value{args}
	}
	pieces := strings.Split(format.Text, "%s")
	out := []Value{known(pieces[0])}
	for i, p := range pieces[1:] {
		part := Value{}
		if i < len(items) {
			part = items[i]
		}
		out = append(out, part, known(p))
	}
	return join("", out...).with(format)
}

// arithmeticOf computes with whole numbers, as decoders do.
func arithmeticOf(op string, a, b Value) Value {
	x, ok1 := whole(a.Text)
	y, ok2 := whole(b.Text)
	if !ok1 || !ok2 || !a.number || !b.number {
		if op == "+" {
			return joined(a, b)
		}
		return mixed(a, b)
	}
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "^":
		x ^= y
	case "*":
		x *= y
	default:
		return mixed(a, b)
	}
	return numberValue(x)
}
