package main

import (
	"fmt"
	"slices"
	"strings"
)

// manyMethods is what no type should have more of.
const manyMethods = 25

// tables are the figures of trees side by side, as Markdown.
func tables(all []figures) string {
	var b strings.Builder
	head := func(first string) {
		fmt.Fprintf(&b, "| %s |", first)
		for _, f := range all {
			fmt.Fprintf(&b, " %s |", f.Label)
		}
		b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(all)) + "\n")
	}
	row := func(name string, of func(figures) any) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, f := range all {
			fmt.Fprintf(&b, " %v |", of(f))
		}
		b.WriteByte('\n')
	}
	head("the whole tree")
	row("rooms: folders below engine/, and other tops", func(f figures) any { return f.sum(func(r room) int { return min(r.Packages, 1) }) })
	row("packages", func(f figures) any { return f.sum(func(r room) int { return r.Packages }) })
	row("lines outside tests", func(f figures) any { return f.sum(func(r room) int { return r.Lines }) })
	row("lines of tests", func(f figures) any { return f.sum(func(r room) int { return r.Tests }) })
	row(fmt.Sprintf("types with more than %d methods", manyMethods), func(f figures) any { return len(f.large()) })
	row("groups of structs that hold the same fact", func(f figures) any { return len(f.Copies) })
	row("groups of copies, without structs that stay apart for a reason (`-copies` lists both)", func(f figures) any { return len(f.left()) })
	row("structs in those groups", func(f figures) any { return len(slices.Concat(f.Copies...)) })

	for _, f := range all {
		fmt.Fprintf(&b, "\nTypes with many methods, %s:", f.Label)
		for i, t := range f.large() {
			fmt.Fprintf(&b, "%s `%s` %d", map[bool]string{true: ",", false: ""}[i > 0], strings.TrimPrefix(t.Type, "engine/"), t.Own)
		}
		b.WriteString(map[bool]string{true: " none", false: ""}[len(f.large()) == 0] + ".\n")
	}
	last := all[len(all)-1]
	fmt.Fprintf(&b, "\n| room, %s | packages | lines | lines of tests |\n| --- | ---: | ---: | ---: |\n", last.Label)
	for _, r := range last.Rooms {
		if r.Packages == 0 { // tests only
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", r.Name, r.Packages, r.Lines, r.Tests)
	}
	return b.String()
}

func (f figures) sum(of func(room) int) (n int) {
	for _, r := range f.Rooms {
		n += of(r)
	}
	return n
}

// large are the types with more methods than one should have.
func (f figures) large() []methods {
	i := slices.IndexFunc(f.Types, func(m methods) bool { return m.Own <= manyMethods })
	if i < 0 {
		i = len(f.Types)
	}
	return f.Types[:i]
}
