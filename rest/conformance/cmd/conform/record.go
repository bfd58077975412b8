package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/decorum-go/decorum/rest/conformance"
)

// record creates golden transcripts from a server.
func record(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o conformance.Options
	f := newFlags("record", stderr)
	serverFlags(f, &o)
	out := f.String("out", "", "`folder` for the golden transcripts")
	fixtures := conformance.Fixtures()
	dirFlag(f, &fixtures, "fixtures", "`folder` with manifests to install first (default: the suite's own)")
	if err := parse(f, args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("--out is required")
	}
	done, err := conformance.Record(ctx, o, fixtures, *out)
	if err != nil {
		return err
	}
	for _, failed := range done.Failed {
		fmt.Fprintln(stdout, "ERROR", failed)
	}
	fmt.Fprintf(stdout, "recorded %d cases, %d responses, %d errors\n", done.Cases, done.Responses, len(done.Failed))
	if len(done.Failed) > 0 {
		return fmt.Errorf("%d cases could not be recorded", len(done.Failed))
	}
	return nil
}
