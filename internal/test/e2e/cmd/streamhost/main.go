// Command streamhost serves pods whose containers are folders of this machine: commands that kubectl runs in a
// container run in its folder. It shows what a host implements for kubectl logs, exec, attach and cp, and for the proxy
// of a pod.
//
// It runs any command that a client sends, so use it for tests only.
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
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "streamhost:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("streamhost", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 takes a free port")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "streamhost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	node := &node{folder: folder, containers: map[string]*container{}}
	pods := k8s.Resource[corev1.Pod]()
	pods.Subresources = node.streams()
	api, err := rest.New(rest.Options{}, pods, k8s.Resource[corev1.Namespace]())
	if err != nil {
		return err
	}
	defer api.Close()
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: api}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ended <- errors.Join(api.Close(), server.Shutdown(context.Background()))
	})
	fmt.Fprintf(stdout, "ready http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	return <-ended
}
