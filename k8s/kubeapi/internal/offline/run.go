package offline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/decorum-go/decorum/rest/validate"
)

// The exit statuses. A status counts only if none of those above it applies.
const (
	exitValid      = 0
	exitUnreadable = 2 // wrong command lines exit with it, too
	exitInvalid    = 1
	exitUnknown    = 3 // all objects of kinds that the API knows are valid
)

// Run validates manifests as the arguments say, and returns the exit status.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitValid
	}
	var results []validate.Result
	if err == nil {
		results, err = validateAll(ctx, f, stdin, stderr)
	}
	if err == nil {
		err = write(stdout, f.output, results)
	}
	if err != nil {
		fmt.Fprintln(stderr, "validate:", err)
		return exitUnreadable
	}
	return status(validate.Count(results), f.ignoreUnknown)
}

func status(c validate.Counts, ignoreUnknown bool) int {
	switch {
	case c.Unreadable > 0:
		return exitUnreadable
	case c.Invalid > 0:
		return exitInvalid
	case c.Unknown > 0 && !ignoreUnknown:
		return exitUnknown
	default:
		return exitValid
	}
}

func write(w io.Writer, output string, results []validate.Result) error {
	if output == "json" {
		return validate.WriteJSON(w, results)
	}
	return validate.WriteText(w, results)
}

func validateAll(ctx context.Context, f *flags, stdin io.Reader, log io.Writer) (results []validate.Result, err error) {
	var in validate.Input
	for _, part := range []struct {
		into  *[]validate.Manifest
		paths []string
	}{{&in.Manifests, f.files}, {&in.Given, append(f.definitions, f.policies...)}, {&in.Old, f.old}} {
		if *part.into, err = read(part.paths, stdin); err != nil {
			return nil, err
		}
	}
	api, err := newServer(ctx, f.services, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	options := validate.Options{Namespace: f.namespace, Changes: f.changes, Keep: looksAt}
	return validate.New(api.API(), options).Validate(ctx, in)
}
