package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/assent-dev/assent/bench/marked"
	"github.com/assent-dev/assent/bench/wilson"
	"github.com/assent-dev/assent/engine/registry/trial"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/simulate:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	runs := flags.Int("runs", 60, "simulate `N` workspaces for each row, and five times as many in the first table")
	write := flags.String("write", "", "put the tables between the markers of `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 || flags.NArg() > 0 {
		return fmt.Errorf("want no arguments and -runs of at least 1, not %q and %d", flags.Args(), *runs)
	}
	text := found(5**runs) + "\n" + alarms(*runs) + "\n" + regret(*runs)
	if *write != "" {
		return marked.Write(*write, "./bench/simulate", text)
	}
	_, err := io.WriteString(out, text)
	return err
}

// goal is within how many missions with it a capability should be found.
const goal = 60

// found says after how many missions with them the two are found.
func found(runs int) string {
	var b strings.Builder
	b.WriteString("| capability | lift | drift | found | missions with it, median | within 60 of them |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range []struct {
		kind        string
		at          int
		harm, drift float64
	}{{"harmful", 1, -0.5, 0}, {"harmful", 1, -0.4, 0.2}, {"harmful", 1, -0.3, 0.2}, {"useless", 0, -0.4, 0}, {"useless", 0, -0.4, 0.2}} {
		var after []int
		within := 0
		for seed := range runs {
			w := begin(uint64(seed), 0.3, c.harm, c.drift)
			for range missions {
				w.next()
			}
			if n := uses(w, c.at, c.kind); n > 0 {
				after = append(after, n)
				if n <= goal {
					within++
				}
			}
		}
		slices.Sort(after)
		median := "–"
		if len(after) > 0 {
			median = fmt.Sprint(after[len(after)/2])
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.1f | %s | %s | %s |\n", c.kind, c.harm*float64(c.at)+0, c.drift, wilson.Share(len(after), runs), median, wilson.Share(within, runs))
	}
	return b.String()
}

// uses is in how many missions a capability took part before it was called kind; 0 if it never was.
func uses(w *world, at int, kind string) int {
	n, name := 0, w.all[at].name
	for i, m := range w.past {
		if !slices.ContainsFunc(m.Uses, func(u trial.MissionUse) bool { return u.Capability == name }) {
			continue
		}
		if n++; n >= 10 && trial.UtilityOf(name, w.past[:i+1], 0).Verdict == kind {
			return n
		}
	}
	return 0
}

// alarms says how often capabilities are called what they are not, looked at every day of 50 missions.
func alarms(runs int) string {
	var b strings.Builder
	b.WriteString("| capabilities | drift | called harmful | called useless | of those that gain, called useless | workspaces with such an alarm |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range []struct {
		kind        string
		lift, drift float64
	}{{"help by 0 to 0.3", 0.3, 0}, {"help by 0 to 0.3", 0.3, 0.2}, {"change nothing", 0, 0}, {"change nothing", 0, 0.2}} {
		harmful, useless, spoilt, gain, lost := 0, 0, 0, 0, 0
		for seed := range runs {
			w := begin(uint64(seed), c.lift, 0, c.drift)
			wrong := map[string]string{}
			for range missions / day {
				for range day {
					w.next()
				}
				for _, o := range w.all[2:] {
					if v := w.verdict(o); wrong[o.name] == "" && (v == trial.Harmful || v == trial.Useless && c.lift > 0) {
						wrong[o.name] = v
					}
				}
			}
			alarm := false
			for i, o := range w.all {
				v := wrong[o.name]
				gains := i > 1 && w.gain(i) > 0
				if gains {
					gain++
				}
				switch {
				case v == trial.Harmful:
					harmful++
				case v == trial.Useless:
					useless++
					if gains {
						lost++
					}
				}
				alarm = alarm || v == trial.Harmful || v == trial.Useless && gains
			}
			if alarm {
				spoilt++
			}
		}
		n := runs * (capabilities - 2)
		called, of := "(they are)", ""
		if c.lift > 0 {
			called, of = wilson.Share(useless, n), wilson.Share(lost, gain)
		}
		fmt.Fprintf(&b, "| %s | %.1f | %s | %s | %s | %s |\n", c.kind, c.drift, wilson.Share(harmful, n), called, of, wilson.Share(spoilt, runs))
	}
	return b.String()
}
