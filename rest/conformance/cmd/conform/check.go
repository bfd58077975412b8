package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/decorum-go/decorum/rest/conformance"
)

// check compares a server's answers with the golden transcripts.
func check(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o conformance.Options
	f := newFlags("check", stderr)
	serverFlags(f, &o)
	dirFlag(f, &o.Golden, "golden", "`folder` with the golden transcripts (default: the suite's own)")
	f.BoolVar(&o.StrictMessages, "strict-messages", false, "count differing message texts as failures")
	f.Func("level", "run the cases of this `level` and of those before it: read, write, watch, apply, definitions (default: all)", func(name string) (err error) {
		o.Level, err = conformance.ParseLevel(name)
		return err
	})
	f.BoolVar(&o.SkipMissing, "skip-missing", false,
		"leave out the cases that need a kind which the server does not serve")
	known := f.String("known", "", "`file` that lists the cases which are known to fail")
	listFailing := f.Bool("list-failing", false,
		"print the list of known failures as it should be, and all else to standard error")
	verbose := f.Bool("v", false, "print every case and difference, and for failed cases both responses")
	results := f.String("json", "", "write the results to this `file`")
	if err := parse(f, args); err != nil {
		return err
	}
	if *known != "" {
		text, err := os.ReadFile(*known)
		if err != nil {
			return err
		}
		if o.Known, err = conformance.ParseKnown(text); err != nil {
			return fmt.Errorf("%s: %w", *known, err)
		}
	}
	report := stdout
	if *listFailing {
		report = stderr
	}
	o.Observe = func(r conformance.Result) { fmt.Fprint(report, r.Text(*verbose)) }
	outcome, err := conformance.Run(ctx, o)
	if err != nil {
		return err
	}
	if *results != "" {
		if err := writeJSON(*results, outcome); err != nil {
			return err
		}
	}
	if err := outcome.WriteTable(report); err != nil {
		return err
	}
	if *listFailing {
		return printKnown(stdout, outcome.Refreshed())
	}
	if !outcome.OK() {
		return errFailed
	}
	return nil
}

func writeJSON(path string, r conformance.Report) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

func printKnown(w io.Writer, k conformance.Known) error {
	text, err := k.Encode()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
