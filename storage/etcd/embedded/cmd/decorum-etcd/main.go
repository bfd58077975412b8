// Command decorum-etcd operates a cluster of package embedded, whose members of etcd run in the processes of a host.
//
//	decorum-etcd authority FILE             write a new certificate authority to the new FILE
//	decorum-etcd members                    print the members
//	decorum-etcd remove ADDRESS             permanently remove a member whose process was stopped
//	decorum-etcd backup FILE                write a backup to the new FILE, while the cluster serves
//	decorum-etcd restore FILE               make the directory of a new cluster with one member from a backup
//	decorum-etcd defragment                 return free space to the file systems, one member at a time
//	decorum-etcd reclaim                    make a full cluster accept writes again
//
// Flags go between the command and its argument. They give the same peer addresses and certificates as the processes of
// the host use. The exit code is 1 if the command fails, and 2 if the arguments are wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is a command of the program.
type command struct {
	name, argument, about string
	do                    func(ctx context.Context, c call) error
}

// call is a command with its argument.
type call struct {
	options  embedded.Options
	argument string
	stdout   io.Writer
}

func commands() []command {
	return []command{
		{"authority", "FILE", "write a new certificate authority to the new FILE", authority},
		{"members", "", "print the members", connected(members)},
		{"remove", "ADDRESS", "permanently remove a member whose process was stopped", connected(remove)},
		{"backup", "FILE", "write a backup to the new FILE, while the cluster serves", connected(backup)},
		{"restore", "FILE", "make the directory of a new cluster with one member from a backup", restore},
		{"defragment", "", "return free space to the file systems, one member at a time", connected(defragment)},
		{"reclaim", "", "make a full cluster accept writes again", connected(reclaim)},
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
		in, ok := c.parse(arguments, stderr)
		if !ok {
			return 2
		}
		in.stdout = stdout
		if err := c.do(ctx, in); err != nil {
			fmt.Fprintf(stderr, "decorum-etcd %s: %v\n", c.name, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(stderr, "usage: decorum-etcd COMMAND …, where COMMAND is one of")
	for _, c := range commands() {
		fmt.Fprintf(stderr, "  %-10s %-8s %s\n", c.name, c.argument, c.about)
	}
	return 2
}

// parse reads the flags and the argument.
func (c command) parse(arguments []string, stderr io.Writer) (in call, ok bool) {
	o := &in.options
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Peers, "peers", "", "`addresses` of all processes, separated by commas")
	flags.StringVar(&o.Authority, "authority", "", "`file` of the certificate authority")
	flags.StringVar(&o.Certificate, "certificate", "", "`file` of a certificate, instead of an authority")
	flags.StringVar(&o.Key, "key", "", "`file` of the certificate's key")
	flags.StringVar(&o.CA, "ca", "", "`file` with the certificates of the authorities that sign members")
	if c.name == "restore" {
		flags.StringVar(&o.Dir, "dir", "", "`directory` of the first process")
		flags.StringVar(&o.Self, "self", "", "`address` of the first process, if several are on this machine")
	}
	if flags.Parse(arguments) != nil {
		return in, false
	}
	in.argument = flags.Arg(0)
	if count := flags.NArg(); count > 1 || (count == 1) != (c.argument != "") {
		fmt.Fprintf(stderr, "usage: decorum-etcd %s [FLAGS] %s\n", c.name, c.argument)
		flags.PrintDefaults()
		return in, false
	}
	return in, true
}

// connected connects a command to the cluster.
func connected(do func(ctx context.Context, cluster *embedded.Cluster, c call) error) func(context.Context, call) error {
	return func(ctx context.Context, c call) error {
		cluster, err := embedded.Connect(ctx, c.options)
		if err != nil {
			return err
		}
		return errors.Join(do(ctx, cluster, c), cluster.Close())
	}
}

func authority(_ context.Context, c call) error {
	text, err := embedded.MakeAuthority()
	if err != nil {
		return err
	}
	return create(c.argument, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func members(ctx context.Context, cluster *embedded.Cluster, c call) error {
	all, err := cluster.Members(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ADDRESS\tOPERATIONS\tROLE\tBYTES\tUSED\tSTATE")
	for _, m := range all {
		role, state := "follower", "ok"
		switch {
		case m.Learner:
			role = "learner"
		case m.Leader:
			role = "leader"
		}
		switch {
		case m.Err != nil:
			role, state = "-", m.Err.Error()
		case m.Full:
			state = "full"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%s\n", m.Address, m.Operations, role, m.Bytes, m.UsedBytes, state)
	}
	return table.Flush()
}

func remove(ctx context.Context, cluster *embedded.Cluster, c call) error {
	return cluster.Remove(ctx, c.argument)
}

func backup(ctx context.Context, cluster *embedded.Cluster, c call) error {
	return create(c.argument, func(w io.Writer) error { return cluster.Backup(ctx, w) })
}

func restore(_ context.Context, c call) error { return embedded.Restore(c.argument, c.options) }

func defragment(ctx context.Context, cluster *embedded.Cluster, _ call) error {
	return cluster.Defragment(ctx)
}

func reclaim(ctx context.Context, cluster *embedded.Cluster, _ call) error {
	return cluster.Reclaim(ctx)
}

// create writes a new file that only its owner can read. If writing fails, create removes the file.
func create(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
