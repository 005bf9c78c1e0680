package program

// tokenKind is the kind of a token of Python or JavaScript.
type tokenKind uint8

const (
	tokenName tokenKind = iota + 1
	tokenNumber
	tokenString
	// tokenTemplate is a string with expressions in it, in braces.
	tokenTemplate
	tokenOperator
	// tokenLine ends a statement.
	tokenLine
)

// token is one token, comments and blanks left out.
type token struct {
	kind tokenKind
	// text is the source text of a name, number or operator, or the value of a
	// string.
	text string
	at   int
	end  int
	// hid says that escapes in a string stand for plain letters.
	hid bool
}

func (t token) is(op string) bool { return t.kind == tokenOperator && t.text == op }

func (t token) named(name string) bool { return t.kind == tokenName && t.text == name }
