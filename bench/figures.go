package main

import "fmt"

// format writes a figure with its unit and about three digits.
func (u unit) format(v float64) string {
	switch u {
	case inBytes:
		return bytesOf(v)
	case inRefs:
		return number(int(v))
	}
	switch {
	case v >= 1:
		return fmt.Sprintf("%.2f s", v)
	case v >= 1e-3:
		return fmt.Sprintf("%.*f ms", digits(v*1e3), v*1e3)
	}
	return fmt.Sprintf("%.*f µs", digits(v*1e6), v*1e6)
}

// digits behind the point that leave about three in all.
func digits(v float64) int {
	switch {
	case v >= 100:
		return 0
	case v >= 10:
		return 1
	}
	return 2
}

func ratioOf(v float64) string {
	if v < 0.01 {
		return fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%.*f", digits(v), v)
}

func bytesOf(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.1f GB", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%.0f MB", v/1e6)
	}
	return fmt.Sprintf("%.0f kB", v/1e3)
}

// number writes 100000 as "100 000".
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// capabilities says how many there are.
func capabilities(n int) string { return number(n) + " capabilities" }
