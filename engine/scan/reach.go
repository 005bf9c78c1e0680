package scan

import "regexp/syntax"

const (
	// far is the reach of an expression without a bound.
	far = 1 << 20
	// blanks is the number of blank characters in a row that are followed; longer runs
	// have a rule of their own.
	blanks = 40
)

// reachOf bounds the bytes that a match of re can have.
func reachOf(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune))
	case syntax.OpCharClass:
		if n := len(re.Rune); n > 0 && re.Rune[n-1] < 0x80 {
			return 1
		}
		return 4
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4
	case syntax.OpCapture, syntax.OpQuest:
		return reachOf(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		if blank(re.Sub[0]) {
			return blanks
		}
		return far
	case syntax.OpRepeat:
		if re.Max < 0 {
			return far
		}
		return min(far, re.Max*reachOf(re.Sub[0]))
	case syntax.OpConcat:
		sum := 0
		for _, sub := range re.Sub {
			sum = min(far, sum+reachOf(sub))
		}
		return sum
	case syntax.OpAlternate:
		most := 0
		for _, sub := range re.Sub {
			most = max(most, reachOf(sub))
		}
		return most
	}
	return 0 // assertions
}

// blank reports whether re takes blank characters only.
func blank(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return len(re.Rune) == 1 && re.Rune[0] == ' '
	}
	if re.Op != syntax.OpCharClass {
		return false
	}
	for i := 0; i < len(re.Rune); i += 2 {
		if re.Rune[i+1] > ' ' || re.Rune[i] < '\t' || re.Rune[i+1] > '\r' && re.Rune[i] < ' ' {
			return false
		}
	}
	return true
}
