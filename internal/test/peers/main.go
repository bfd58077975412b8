// Command peers puts the same load on Decorum, on other API servers, and on a bare handler, side by side in one run,
// and prints a table in Markdown. README.md says what it compares.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// connections is how many requests a server gets at once.
const connections = 8

// plan is how much the load sends.
type plan struct {
	rounds, objects, gets, lists, creates, writes, changes, streams int
	// enough is how much processor time of a server each part of the load needs at least. The part repeats until then.
	enough time.Duration
	skip   string // leaves out the programs whose names contain it
}

func main() {
	p := plan{}
	flag.IntVar(&p.rounds, "rounds", 5, "how often each program gets each part of the load; the least counts")
	flag.IntVar(&p.objects, "objects", 5000, "objects in the lists")
	flag.IntVar(&objectSize, "size", objectSize, "bytes of an object")
	flag.StringVar(&p.skip, "skip", "", "leaves out the programs whose names contain this text")
	flag.IntVar(&p.gets, "gets", 2000, "GETs in a round, or more")
	flag.IntVar(&p.lists, "lists", 2, "lists in a round, of each sort, or more")
	flag.IntVar(&p.creates, "creates", 2000, "objects that a round creates")
	flag.IntVar(&p.writes, "writes", 800, "other writes in a round, of each sort, or more")
	flag.IntVar(&p.changes, "changes", 20, "changes in a round that reach all watches, or more")
	flag.IntVar(&p.streams, "streams", 200, "watches")
	flag.DurationVar(&p.enough, "enough", 300*time.Millisecond,
		"of processor time, after which a program has had enough of a part")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	results, err := measure(ctx, p)
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	fmt.Printf("%s, %d processors, load of the machine at the end: %s\n", runtime.Version(), runtime.NumCPU(),
		strings.Join(strings.Fields(string(load))[:3], " "))
	fmt.Printf("processor time of the server in µs for each operation; lists of %d objects, %d watches\n\n", p.objects,
		p.streams)
	fmt.Print(table(results))
}

// result is what a program costs.
type result struct {
	program string
	notRun  string                   // why it did not run
	costs   map[string]time.Duration // the least processor time of an operation
	memory  int64

	server *server // nil unless the program runs
}

// measure starts the programs and measures them in turns.
func measure(ctx context.Context, p plan) (results []*result, err error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer func() {
		for _, r := range results {
			if r.server != nil {
				r.server.stop()
			}
		}
	}()
	for _, next := range programs() {
		if p.skip != "" && strings.Contains(next.name, p.skip) {
			continue
		}
		r, err := begin(ctx, p, next, dir)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	least, err := floor(ctx, results[0].server)
	if err != nil {
		return results, err
	}
	r, err := begin(ctx, p, least, dir)
	if err != nil {
		return results, err
	}
	results = append([]*result{r}, results...)
	for round := range p.rounds {
		fmt.Fprintln(os.Stderr, "round", round+1)
		for _, o := range operations {
			for _, r := range results {
				if err := r.add(ctx, p, o); err != nil {
					return results, err
				}
			}
		}
	}
	for _, r := range results {
		if r.server != nil {
			if r.memory, err = r.server.memory(); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// begin starts a program and creates the objects.
func begin(ctx context.Context, p plan, next program, dir string) (*result, error) {
	fmt.Fprintln(os.Stderr, "starting", next.name)
	r := &result{program: next.name, costs: map[string]time.Duration{}}
	s, err := next.start(ctx, dir)
	if missing := notRun(""); errors.As(err, &missing) {
		r.notRun = err.Error()
		return r, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", next.name, err)
	}
	s.name, r.server = next.name, s
	if !next.floor {
		err = s.fill(ctx, p, next.defined)
	}
	if err == nil {
		_, err = gets(ctx, p, s) // opens the connections
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s: %w\n%s", next.name, err, s.said())
	}
	return r, nil
}

// add measures an operation once more.
func (r *result) add(ctx context.Context, p plan, o operation) error {
	if r.server == nil {
		return nil
	}
	cost, err := o.run(ctx, p, r.server)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", r.program, o.name, err)
	}
	if least, ok := r.costs[o.name]; !ok || cost < least {
		r.costs[o.name] = cost
	}
	return nil
}

// table returns the results as a table in Markdown: the microseconds of an operation, and what they are beside those of
// the first program.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| program |")
	for _, o := range operations {
		fmt.Fprintf(&b, " %s |", o.name)
	}
	b.WriteString(" memory |\n|" + strings.Repeat(" --- |", len(operations)+2) + "\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s |", r.program)
		if r.notRun != "" {
			fmt.Fprintf(&b, " NOT RUN: %s |%s\n", r.notRun, strings.Repeat(" |", len(operations)))
			continue
		}
		for _, o := range operations {
			cost, least := r.costs[o.name], results[0].costs[o.name]
			fmt.Fprintf(&b, " %s", microseconds(cost))
			if r != results[0] {
				fmt.Fprintf(&b, ", %.3g", float64(cost)/float64(least))
			}
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %d MB |\n", r.memory/1e6)
	}
	return b.String()
}

// microseconds formats a time with its significant digits and with commas.
func microseconds(d time.Duration) string {
	us := float64(d) / float64(time.Microsecond)
	switch {
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	case us < 1000:
		return fmt.Sprintf("%.0f", us)
	}
	return fmt.Sprintf("%d,%03d", int(us)/1000, int(us)%1000)
}
