// Command report lists the sites of a platform that another process serves, and
// with --follow prints each change:
//
//	go run ./examples/platform/report --server http://127.0.0.1:8080/platform
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
)

func main() {
	server := flag.String("server", "http://127.0.0.1:8080/platform", "URL of the platform")
	follow := flag.Bool("follow", false, "go on with what changes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := report(ctx, os.Stdout, *server, *follow); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// report prints the sites of a platform, and with follow their changes until ctx ends.
func report(ctx context.Context, out io.Writer, server string, follow bool) error {
	sites, err := rest.ClientForEndpoint(rest.Endpoint{URL: server}, site.Resource())
	if err != nil {
		return err
	}
	if follow {
		for event, err := range sites.Follow(ctx, rest.WatchOptions{}) {
			if err != nil {
				return err
			}
			fmt.Fprintln(out, event.Type, line(event.Object))
		}
		return nil
	}
	for s, err := range sites.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, line(s))
	}
	return nil
}

func line(s *site.Site) string {
	if !apimeta.IsConditionTrue(s.Status.Conditions, "Ready") {
		return fmt.Sprintf("%s/%s is not published yet", s.Namespace, s.Name)
	}
	return fmt.Sprintf("%s/%s is at %s", s.Namespace, s.Name, s.Status.Path)
}
