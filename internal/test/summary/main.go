// Command summary reads the output of go test -json, and prints what a reader of a long run wants to see: the packages,
// the output of failures, and which tests were NOT RUN for want of a program on this machine.
//
// DECORUM_INSTALLED lists the system packages that are installed. If a test was not run although its package is among
// them, summary fails. If DECORUM_NOT_RUN names a file, summary adds a line to it for each test that was not run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output string
}

func main() {
	notRun, err := openNotRun(os.Getenv("DECORUM_NOT_RUN"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(1)
	}
	defer notRun.Close()
	missed, err := summarize(os.Stdin, os.Stdout, notRun, strings.Fields(os.Getenv("DECORUM_INSTALLED")))
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
	}
	if err != nil || missed {
		os.Exit(1)
	}
}

// openNotRun opens the list of the tests that were not run. Without a path, the list is discarded.
func openNotRun(path string) (*os.File, error) {
	if path == "" {
		path = os.DevNull
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}

// summarize prints the events of in, and adds to notRun the tests that were not run. It reports whether a test was not
// run although the package that it names is installed.
func summarize(in io.Reader, out, notRun io.Writer, installed []string) (missed bool, err error) {
	lines := bufio.NewReader(in)
	said := map[string]map[string]string{} // the output of each test that has not ended, by package
	for {
		line, readErr := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(out, "%s", line) // the go command prints some errors as they are
		}
		if said[e.Package] == nil {
			said[e.Package] = map[string]string{}
		}
		tests := said[e.Package]
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && !isNoise(e.Output):
			fmt.Fprint(out, e.Output)
		case e.Action == "output" && e.Test != "":
			tests[e.Test] += e.Output
		case e.Action == "pass" && e.Test != "":
			delete(tests, e.Test)
		case e.Action == "skip" && e.Test != "":
			if _, reason, found := strings.Cut(tests[e.Test], "NOT RUN"); found {
				reason, _, _ = strings.Cut(reason, "\n")
				fmt.Fprintf(io.MultiWriter(out, notRun), "NOT RUN %s %s%s\n", e.Package, e.Test, reason)
				missed = missed || wants(reason, installed)
			}
			delete(tests, e.Test)
		case e.Action == "fail" && e.Test != "":
			fmt.Fprint(out, tests[e.Test])
			delete(tests, e.Test)
		case e.Action == "fail":
			for _, output := range tests { // the tests that the end of the process interrupted
				fmt.Fprint(out, output)
			}
			delete(said, e.Package)
		}
		if readErr == io.EOF {
			return missed, nil
		}
		if readErr != nil {
			return missed, readErr
		}
	}
}

// isNoise reports whether a line of a package says only that it has passed, or has no tests.
func isNoise(line string) bool {
	return line == "PASS\n" || strings.HasSuffix(line, "[no test files]\n") || strings.HasPrefix(line, "coverage:")
}

// wants reports whether the reason for which a test was not run names a package that is installed.
func wants(reason string, installed []string) bool {
	for _, name := range installed {
		if strings.Contains(reason, "apt-get install "+name) {
			fmt.Fprintf(os.Stderr, "%s is installed, and its test was not run\n", name)
			return true
		}
	}
	return false
}
