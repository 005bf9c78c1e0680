package scan

import (
	"fmt"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// guarded returns what read finds. If a text breaks the scanner, that is a finding which blocks: its
// author must neither stop those who read it nor get past the scanner.
func guarded(files []File, read func() diag.List) (out diag.List) {
	defer func() {
		if broke := recover(); broke != nil {
			where := diag.Pos{}
			if len(files) > 0 {
				where.File = files[0].Path
			}
			out = diag.List{}
			out.Errorf(ruleTooDense, where, "find the file by removing half of them at a time, rewrite it, and report this as a fault of assent",
				"the scanner broke on these files: %v", broke)
		}
	}()
	return read()
}

// each runs parts of the work as the caller asks. A part that breaks on another goroutine breaks this
// one, after all parts have ended: there it is guarded.
func (o Options) each(n int, do func(int)) {
	if o.Each == nil {
		for i := range n {
			do(i)
		}
		return
	}
	var once sync.Once
	var first any
	o.Each(n, func(i int) {
		defer func() {
			if broke := recover(); broke != nil {
				once.Do(func() { first = broke })
			}
		}()
		do(i)
	})
	if first != nil {
		panic(fmt.Sprint(first)) //nolint:forbidigo // it broke already, on another goroutine
	}
}
