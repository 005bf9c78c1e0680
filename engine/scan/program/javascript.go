package program

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// lexJavaScript appends the tokens of JavaScript or TypeScript to out. A text that the
// lexer gives up on is continued behind the place where it did, so that one bad
// character hides nothing.
func lexJavaScript(out []token, text string) []token {
	for base, tries := 0, 0; base < len(text) && tries < 64; tries++ {
		var n int
		out, n = lexFrom(out, text[base:], base)
		base += max(n, 1)
	}
	return append(out, token{kind: tokenLine, at: len(text), end: len(text)})
}

// lexFrom appends the tokens of text, which begins at base, and returns how far
// it came.
func lexFrom(out []token, text string, base int) ([]token, int) {
	lexer := js.NewLexer(parse.NewInputString(text))
	at := 0
	t := templates{}
	for {
		tt, raw := lexer.Next()
		if (tt == js.DivToken || tt == js.DivEqToken) && regexpFollows(out) {
			tt, raw = lexer.RegExp()
		}
		if tt == js.ErrorToken {
			return out, at
		}
		start := base + at
		at += len(raw)
		word := text[min(at-len(raw), len(text)):min(at, len(text))]
		if word != string(raw) {
			word = string(raw)
		}
		tok := token{at: start, end: base + at, text: word}
		switch {
		case tt == js.WhitespaceToken, tt == js.CommentToken:
			continue
		case tt == js.LineTerminatorToken, tt == js.CommentLineTerminatorToken:
			tok.kind = tokenLine
		case tt == js.StringToken:
			tok.kind = tokenString
			tok.text, tok.hid = unescape(unquote(tok.text))
		case tt == js.TemplateToken:
			tok.kind = tokenString
			tok.text, tok.hid = unescape(strings.Trim(tok.text, "`"))
		case tt == js.TemplateStartToken, tt == js.TemplateMiddleToken, tt == js.TemplateEndToken:
			out = t.piece(out, tt, tok)
			continue
		case tt == js.RegExpToken:
			tok.kind, tok.text = tokenNumber, "/"
		case js.IsNumeric(tt):
			tok.kind = tokenNumber
		case js.IsIdentifierName(tt) || tt == js.PrivateIdentifierToken:
			tok.kind = tokenName
			if strings.Contains(tok.text, `\`) {
				tok.text, _ = unescape(tok.text)
			}
		case tt == js.SemicolonToken:
			tok.kind = tokenLine
		default:
			tok.kind = tokenOperator
		}
		out = append(out, tok)
	}
}

// templates turns a template with expressions into the sum of its parts:
// `a${b}c` becomes ("a" + (b) + "c").
type templates struct{}

func (templates) piece(out []token, tt js.TokenType, tok token) []token {
	op := func(s string) token { return token{kind: tokenOperator, text: s, at: tok.at, end: tok.end} }
	body, hid := unescape(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(tok.text, "`"), "`"), "}"), "${"))
	text := token{kind: tokenString, text: body, at: tok.at, end: tok.end, hid: hid}
	switch tt {
	case js.TemplateStartToken:
		return append(out, op("("), text, op("+"), op("("))
	case js.TemplateMiddleToken:
		return append(out, op(")"), op("+"), text, op("+"), op("("))
	default:
		return append(out, op(")"), op("+"), text, op(")"))
	}
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		return s[1 : len(s)-1]
	}
	return s
}

// regexpFollows reports whether a slash begins a regular expression: the token
// before it cannot be a dividend.
func regexpFollows(out []token) bool {
	if len(out) == 0 {
		return true
	}
	switch last := out[len(out)-1]; last.kind {
	case tokenString, tokenNumber, tokenTemplate:
		return false
	case tokenName:
		return last.text == "return" || last.text == "typeof" || last.text == "case" || last.text == "in" || last.text == "of"
	case tokenOperator:
		return last.text != ")" && last.text != "]" && last.text != "}"
	}
	return true
}
