package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/validate"
)

// The exit statuses.
const (
	clean    = 0
	findings = 1
	failed   = 2
)

// flags are the arguments of the command.
type flags struct {
	paths                        []string
	exceptions, severity, output string
}

// finding is a finding with its place, as -o json prints it.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Severity string `json:"severity"`
	Kind     string `json:"kind"`
	Field    string `json:"field,omitempty"`
	Rule     string `json:"rule"`
	Reason   string `json:"reason"`
	Page     string `json:"page"`
}

var errUsage = errors.New("wrong arguments")

// run runs the command and returns the exit status.
func run(arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f, err := parse(arguments, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return clean
	case err != nil:
		return failed
	}
	found, faults, err := vet(f, stdin)
	if err != nil {
		fmt.Fprintln(stderr, "vetkinds:", strings.ReplaceAll(err.Error(), "\n", "\nvetkinds: "))
		return failed
	}
	if err := f.print(stdout, found); err != nil {
		fmt.Fprintln(stderr, "vetkinds:", err)
		return failed
	}
	for _, fault := range faults {
		fmt.Fprintf(stderr, "vetkinds: %s: %s\n", f.exceptions, fault)
	}
	if len(found)+len(faults) > 0 {
		return findings
	}
	return clean
}

// parse reads the arguments. It has printed what is wrong with them if it returns an error.
func parse(arguments []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("vetkinds", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Func("f", "a `PATH` with CustomResourceDefinitions: a file, a folder with its subfolders, or - for standard "+
		"input; may be repeated", func(path string) error {
		f.paths = append(f.paths, path)
		return nil
	})
	set.StringVar(&f.exceptions, "exceptions", "",
		"a YAML `FILE` with a list of findings to accept, each with kind, field, rule and reason")
	set.StringVar(&f.severity, "severity", string(conventions.Should),
		"the lowest `SEVERITY` to report: should, or must for what leaves no choice")
	set.StringVar(&f.output, "o", "text", "the `FORMAT` of the output: text or json")
	if err := set.Parse(arguments); err != nil {
		return f, err
	}
	wrong := ""
	switch {
	case len(f.paths) == 0:
		wrong = "name at least one file with -f"
	case set.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q: name each file with -f", set.Arg(0))
	case !slices.Contains([]string{"must", "should"}, f.severity):
		wrong = fmt.Sprintf("--severity is must or should, not %q", f.severity)
	case !slices.Contains([]string{"text", "json"}, f.output):
		wrong = fmt.Sprintf("-o is text or json, not %q", f.output)
	default:
		return f, nil
	}
	fmt.Fprintln(stderr, "vetkinds:", wrong)
	set.Usage()
	return f, errUsage
}

// vet returns the findings about the definitions of all files, and what is wrong with the exceptions.
func vet(f flags, stdin io.Reader) (out []finding, faults []string, err error) {
	exceptions, err := readExceptions(f.exceptions)
	if err != nil {
		return nil, nil, err
	}
	manifests, err := read(f.paths, stdin)
	if err != nil {
		return nil, nil, err
	}
	var all []conventions.Finding
	var in []*validate.Manifest // the manifest of each finding
	definitions := 0
	for i := range manifests {
		m := &manifests[i]
		if m.Kind.Kind != "CustomResourceDefinition" {
			continue
		}
		definitions++
		of, err := conventions.FindingsInDefinition(m.JSON())
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", m.File, m.Line, err)
		}
		all, in = append(all, of...), append(in, slices.Repeat([]*validate.Manifest{m}, len(of))...)
	}
	if definitions == 0 {
		return nil, nil, fmt.Errorf("no CustomResourceDefinition in %s", strings.Join(f.paths, ", "))
	}
	left, faults := exceptions.Apply(all)
	next := 0 // left has the order of all, in which two files may have equal findings
	for _, one := range left {
		next += slices.Index(all[next:], one)
		m := in[next]
		next++
		if f.severity == string(conventions.Must) && one.Severity != conventions.Must {
			continue
		}
		out = append(out, finding{File: m.File, Line: m.LineOf(one.At), Severity: string(one.Severity), Kind: one.Kind,
			Field: one.Field, Rule: string(one.Rule), Reason: one.Reason, Page: one.Page})
	}
	return out, faults, nil
}

// print writes the findings.
func (f *flags) print(w io.Writer, found []finding) error {
	if f.output == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(append([]finding{}, found...))
	}
	var text strings.Builder
	for _, one := range found {
		where := strings.TrimSpace(one.Kind + " " + one.Field)
		fmt.Fprintf(&text, "%s:%d: %s: %s: %s (%s; %s)\n", one.File, one.Line, one.Severity, where,
			strings.ReplaceAll(one.Reason, "\n", " "), one.Rule, one.Page)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
