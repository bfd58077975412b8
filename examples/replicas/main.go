// Command replicas runs the platform of docs/guide.md as three replicas behind a reverse proxy, over etcd, Postgres, or members of
// etcd in the replicas themselves:
//
//	cd examples/replicas && go run .
//	cd examples/replicas && go run . --store embedded
//	cd examples/replicas && go run . --store postgres
//
// It starts all of them: etcd and the proxy in this process, Postgres as it is installed, and each replica as a process
// of its own, which may be killed at any time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/decorum-go/decorum/examples/program"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "replica" {
		program.Main("replicas", runReplica)
	} else {
		program.Main("replicas", run)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("replicas", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address of the proxy; port 0 selects a free port")
	kind := flags.String("store", "etcd", "where objects are kept: etcd, embedded (a member of etcd in each replica) or "+
		"postgres, which must be installed")
	data := flags.String("data", "", "directory of etcd or of its members; by default, "+
		"the objects are lost when the program ends")
	count := flags.Int("count", 3, "number of replicas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	store, stopStore, err := startStore(*kind, *data, *count)
	if err != nil {
		return err
	}
	defer stopStore()

	// The replicas end before the store, because they release the lease of the leader.
	backends, log := newBackends(*count), &lines{to: stdout}
	var replicas sync.WaitGroup
	defer replicas.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for i := range *count {
		replicas.Go(func() { supervise(ctx, &process{number: i, store: store, backends: backends, log: log}) })
	}
	if err := backends.all(ctx); err != nil {
		return nil // the program ends already
	}
	server := &http.Server{Handler: newProxy(backends), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	url := fmt.Sprintf("http://%s/platform", listener.Addr())
	log.print(`ready %[1]s

  kubectl --server %[1]s apply -f ../platform/sample.yaml
  kubectl --server %[1]s get sites --watch
  kubectl --server %[1]s get leases   # the replicas that hold them
  kill -9 PID   # of a replica; it starts again`, url)
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	return errors.Join(err, server.Close()) // watches end with the replicas, at the latest
}

// lines writes whole lines of several goroutines.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lines) print(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.to, format+"\n", args...)
}
