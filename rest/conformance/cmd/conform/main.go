// Command conform replays recorded requests against a server and compares its answers
// with those of a real kube-apiserver. README.md of package conformance explains it.
//
//	conform [check] --server URL [--level LEVEL] [--known FILE]
//	conform record --server URL --out DIR
//	conform list   [-v]
//	conform diff   DIR DIR
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `usage:
  conform [check] --server URL [flags]  compare a server with the golden transcripts
  conform record --server URL --out DIR [flags]
                                        make golden transcripts from a server
  conform list   [flags]                list the areas, with -v the cases
  conform diff   DIR DIR                compare two recordings
The flags of a command: conform COMMAND -h
The exit status: 0 all cases passed, 1 some failed, 2 wrong command line, 3 the cases
could not run, because the server does not answer or lacks a kind, or of a file
`

// The errors of a command: errFailed means that the run has printed its failures
// already, errUsage that the command line is wrong and the usage was printed.
var (
	errFailed = errors.New("failed")
	errUsage  = errors.New("usage")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 0 for success, 1 for cases that failed and recordings
// that differ, 2 for a wrong command line, 3 if the command could not do its work.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFailed):
		return 1
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(stderr, "conform:", err)
	return 3
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "check":
			return check(ctx, args[1:], stdout, stderr)
		case "record":
			return record(ctx, args[1:], stdout, stderr)
		case "list":
			return list(args[1:], stdout, stderr)
		case "diff":
			return diff(args[1:], stdout, stderr)
		}
		if strings.HasPrefix(args[0], "-") && args[0] != "-h" && args[0] != "--help" {
			return check(ctx, args, stdout, stderr)
		}
	}
	fmt.Fprint(stderr, usage)
	return errUsage
}
