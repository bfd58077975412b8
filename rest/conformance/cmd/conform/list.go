package main

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/decorum-go/decorum/rest/conformance"
)

// list prints the areas or the cases.
func list(args []string, stdout, stderr io.Writer) error {
	cases := conformance.Cases()
	f := newFlags("list", stderr)
	caseFlag(f, &cases)
	verbose := f.Bool("v", false, "list the cases, each with its rule")
	if err := parse(f, args); err != nil {
		return err
	}
	return printCases(stdout, cases, *verbose)
}

func printCases(w io.Writer, cases fs.FS, verbose bool) error {
	areas, err := conformance.Load(cases)
	if err != nil {
		return err
	}
	allCases, allSteps := 0, 0
	for _, a := range areas {
		steps := 0
		for _, c := range a.Cases {
			steps += c.Steps()
			if verbose {
				fmt.Fprintf(w, "%s/%s: %s\n", a.Name, c.Name, c.Doc)
			}
		}
		fmt.Fprintf(w, "%-18s %4d cases %5d steps\n", a.Name, len(a.Cases), steps)
		allCases += len(a.Cases)
		allSteps += steps
	}
	_, err = fmt.Fprintf(w, "%-18s %4d cases %5d steps\n", "total", allCases, allSteps)
	return err
}
