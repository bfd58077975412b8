package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/decorum-go/decorum/rest/conformance"
)

func newFlags(name string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("conform "+name, flag.ContinueOnError)
	f.SetOutput(stderr)
	return f
}

// parse reads a command line that has no arguments beside its flags.
func parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args) // it has printed the error
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err == nil && f.NArg() > 0:
		fmt.Fprintf(f.Output(), "%s: unexpected argument %s\n", f.Name(), f.Arg(0))
		return errUsage
	case err != nil:
		return errUsage
	}
	return nil
}

// serverFlags are the flags of the commands that ask a server. A flag that follows
// --kubeconfig on the command line replaces what the kubeconfig says.
func serverFlags(f *flag.FlagSet, o *conformance.Options) {
	f.StringVar(&o.Server, "server", "", "base `URL` of the server")
	f.StringVar(&o.Prefix, "prefix", "", "`path` under which the API is mounted")
	f.StringVar(&o.Token, "token", "", "bearer `token`")
	f.Func("kubeconfig", "take the server and the credentials from this `file`; FILE#CONTEXT names a context",
		func(file string) error {
			name, context, _ := strings.Cut(file, "#")
			return o.UseKubeconfig(name, context)
		})
	fileFlag(f, &o.Certificate, "client-certificate", "`file` with a client certificate in PEM")
	fileFlag(f, &o.Key, "client-key", "`file` with the key of the client certificate in PEM")
	fileFlag(f, &o.Authorities, "certificate-authority", "`file` with the certificates of the server's authorities in PEM")
	f.BoolVar(&o.Insecure, "insecure", false, "do not verify the server's certificate")
	f.DurationVar(&o.Timeout, "timeout", 0, "longest wait for one answer (default 25s)")
	f.IntVar(&o.Jobs, "jobs", 1, "cases to run at a time")
	f.BoolVar(&o.Keep, "keep", false, "leave the objects and namespaces of the cases on the server")
	f.Func("area", "only these `areas` (comma separated)", into(&o.Areas))
	f.StringVar(&o.Name, "case", "", "only cases whose name contains this `text`")
	f.Func("skip-tag", "skip cases with one of these `tags` (comma separated)", into(&o.SkipTags))
	caseFlag(f, &o.Cases)
}

// fileFlag reads the file that the flag names.
func fileFlag(f *flag.FlagSet, content *[]byte, name, use string) {
	f.Func(name, use, func(file string) (err error) {
		*content, err = os.ReadFile(file)
		return err
	})
}

func caseFlag(f *flag.FlagSet, cases *fs.FS) {
	dirFlag(f, cases, "cases", "`folder` with the case files (default: the suite's own)")
}

// dirFlag leaves the file system nil if the flag is missing.
func dirFlag(f *flag.FlagSet, dir *fs.FS, name, use string) {
	f.Func(name, use, func(path string) error {
		*dir = os.DirFS(path)
		return nil
	})
}

func into(list *[]string) func(string) error {
	return func(s string) error {
		*list = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}
