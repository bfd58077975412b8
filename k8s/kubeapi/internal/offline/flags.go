package offline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"

	"github.com/decorum-go/decorum/internal/manifests"
)

// flags are the flags of the program.
type flags struct {
	files, definitions, policies, old []string
	namespace, output, serviceRange   string
	changes, ignoreUnknown            bool
	services                          netip.Prefix
}

// defaultServices contains the addresses that clusters usually give to Services.
const defaultServices = "10.0.0.0/8"

func parseFlags(args []string, stderr io.Writer) (*flags, error) {
	f := new(flags)
	set := flag.NewFlagSet("validate", flag.ContinueOnError)
	set.SetOutput(stderr)
	paths := func(list *[]string, name, usage string) {
		set.Func(name, usage, func(path string) error { *list = append(*list, path); return nil })
	}
	paths(&f.files, "f", "a `path` of manifests to validate: a file, a folder with its subfolders, or - for standard input. May be repeated")
	paths(&f.definitions, "crds", "a `path` of CustomResourceDefinitions that exist. May be repeated")
	paths(&f.policies, "policies", "a `path` of admission policies, bindings and parameters that exist. May be repeated")
	paths(&f.old, "old", "a `path` of former states: objects in it that -f has too are validated as updates. May be repeated")
	set.StringVar(&f.namespace, "namespace", "default", "the namespace of objects that name none")
	set.StringVar(&f.output, "output", "text", "text or json")
	set.BoolVar(&f.changes, "changes", false,
		"also print what the API would store differently: defaults, changed values, dropped fields")
	set.BoolVar(&f.ignoreUnknown, "ignore-unknown", false,
		"exit with 0 although some objects are of unknown kinds, or need a webhook that converts them")
	set.StringVar(&f.serviceRange, "service-cluster-ip-range", defaultServices, "the addresses of Services")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case len(f.files) == 0:
		return nil, errors.New("-f is missing")
	case standardInputs(f) > 1:
		return nil, errors.New("- is standard input, and can be named once")
	case f.output != "text" && f.output != "json":
		return nil, fmt.Errorf("--output: %q is neither text nor json", f.output)
	}
	var err error
	if f.services, err = netip.ParsePrefix(f.serviceRange); err != nil {
		return nil, fmt.Errorf("--service-cluster-ip-range: %w", err)
	}
	return f, nil
}

// standardInputs counts how often the flags name standard input.
func standardInputs(f *flags) (n int) {
	for _, path := range slices.Concat(f.files, f.definitions, f.policies, f.old) {
		if path == manifests.Stdin {
			n++
		}
	}
	return n
}
