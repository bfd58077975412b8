// Command decorum-bolt works on files of package storage/bolt while no program has them open for writing: for backups,
// and for the night when a file is damaged.
//
//	decorum-bolt backup FILE BACKUP              write all objects of FILE to the new file BACKUP
//	decorum-bolt restore BACKUP FILE             make the new FILE from BACKUP
//	decorum-bolt check [-keys KEYS] FILE         read the whole FILE, and name everything that is damaged
//	decorum-bolt compact FILE NEW                copy FILE to the file NEW, without free space
//	decorum-bolt dump [-keys KEYS] [-resource R] FILE
//	                                             print the intact objects as JSON, one on a line, and name the damaged ones
//
// It changes no existing file, and refuses to write over one. The exit code is 1 if a file is damaged or something else
// fails, and 2 if the arguments are wrong. Errors name the file and, if possible, the object.
//
// KEYS is a file with the keys of an encrypted file, one on a line: the id of the key, a space, and the secret in
// base64. Backup, restore and compact leave objects encrypted, so they need no keys. R is a resource such as
// widgets.example.com.
//
// To back up while the program serves, use the method Backup of the store.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is one of the things that the program does.
type command struct {
	name      string
	arguments []string // names of the arguments
	about     string
	flags     func(*flag.FlagSet, *options)
	do        func(ctx context.Context, c call) error
}

// options are the flags of a command.
type options struct{ keys, resource string }

// call is a command with its arguments.
type call struct {
	options
	arguments      []string
	stdout, stderr io.Writer
}

var errUsage = errors.New("wrong arguments")

func keysFlag(flags *flag.FlagSet, o *options) {
	flags.StringVar(&o.keys, "keys", "",
		"the `file` with the keys of an encrypted file: on each line the id of a key, a space, and the secret in base64")
}

func commands() []command {
	none := func(*flag.FlagSet, *options) {}
	return []command{
		{"backup", []string{"FILE", "BACKUP"}, "write all objects of FILE to the new file BACKUP", none, backup},
		{"restore", []string{"BACKUP", "FILE"}, "make the new FILE from BACKUP", none, restore},
		{"check", []string{"FILE"}, "read the whole FILE, and name everything that is damaged", keysFlag, check},
		{"compact", []string{"FILE", "NEW"}, "copy FILE to the file NEW, without free space", none, compact},
		{"dump", []string{"FILE"}, "print the intact objects as JSON, one on a line, and name the damaged ones",
			func(flags *flag.FlagSet, o *options) {
				keysFlag(flags, o)
				flags.StringVar(&o.resource, "resource", "",
					"print only the objects of this `resource`, such as widgets.example.com")
			}, dump},
	}
}

// run runs a command and returns the exit code.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	var name string
	if len(arguments) > 0 {
		name, arguments = arguments[0], arguments[1:]
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		err := c.run(ctx, arguments, stdout, stderr)
		switch {
		case errors.Is(err, errUsage):
			return 2
		case err != nil:
			fmt.Fprintf(stderr, "decorum-bolt %s: %v\n", c.name, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(stderr, "usage: decorum-bolt COMMAND …, where COMMAND is one of")
	for _, c := range commands() {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.about)
	}
	return 2
}

func (c command) run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	in := call{stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: decorum-bolt %s [FLAGS]", c.name)
		for _, argument := range c.arguments {
			fmt.Fprint(stderr, " ", argument)
		}
		fmt.Fprintf(stderr, "\n%s\n", c.about)
		flags.PrintDefaults()
	}
	c.flags(flags, &in.options)
	if err := flags.Parse(arguments); err != nil {
		return errUsage
	}
	if in.arguments = flags.Args(); len(in.arguments) != len(c.arguments) {
		flags.Usage()
		return errUsage
	}
	return c.do(ctx, in)
}
