// Package wilson gives intervals of proportions.
package wilson

import (
	"fmt"
	"math"
)

// Interval is the score interval of a proportion at 95 %: E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", JASA 22 (1927)
// 209-212. Unlike the normal approximation it holds near 0 and 1, where these
// figures are. For k of n, n = 0 gives [0, 1].
func Interval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964 // the normal quantile at 0.975
	p, m := float64(k)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (mid-half)/(1+z*z/m)), min(1, (mid+half)/(1+z*z/m))
}

// Share writes k of n with its interval: "2 (0.8 % [0.2, 2.8])".
func Share(k, n int) string {
	low, high := Interval(k, n)
	return fmt.Sprintf("%d (%.1f %% [%.1f, %.1f])", k, 100*float64(k)/float64(max(1, n)), 100*low, 100*high)
}
