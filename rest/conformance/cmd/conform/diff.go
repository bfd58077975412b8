package main

import (
	"fmt"
	"io"
	"os"

	"github.com/decorum-go/decorum/rest/conformance"
)

// diff compares two recordings with each other.
func diff(args []string, stdout, stderr io.Writer) error {
	if len(args) != 2 {
		fmt.Fprint(stderr, usage)
		return errUsage
	}
	differences, err := conformance.CompareRecordings(os.DirFS(args[0]), os.DirFS(args[1]))
	if err != nil {
		return err
	}
	for _, d := range differences {
		fmt.Fprintln(stdout, d)
	}
	if len(differences) > 0 {
		fmt.Fprintf(stderr, "conform: %d differences\n", len(differences))
		return errFailed
	}
	_, err = fmt.Fprintln(stdout, "identical")
	return err
}
