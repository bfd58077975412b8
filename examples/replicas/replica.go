package main

import (
	"context"
	"flag"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/status"
)

// runReplica runs one replica until ctx or the standard input ends. It prints the address at which it serves.
func runReplica(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("replica", flag.ContinueOnError)
	name := flags.String("store", "", "embedded:PLACE, etcd:URL or postgres:URL")
	number := flags.Int("number", 0, "number of the replica")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	store, closeStore, err := openStore(ctx, *name, *number)
	if err != nil {
		return err
	}
	defer closeStore()
	options := rest.Options{Store: store, Sharded: true, Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}}
	api, err := rest.New(options, site.Resource(), builtin.Events(), builtin.Leases())
	if err != nil {
		return err
	}
	sites, err := rest.ClientForType[site.Site](api)
	if err != nil {
		return err
	}
	eventClient, err := rest.ClientForType[builtin.CoreEvent](api)
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.Handle("GET /pages/{namespace}/{name}", pages(sites))
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	recorder := events.New(events.Options{Client: eventClient, Controller: "platform.example.com/publisher"})
	p := &publisher{sites: sites.FieldManager("publisher"), events: recorder}
	hostname, _ := os.Hostname()
	identity := fmt.Sprint(hostname, "-", os.Getpid())
	return host.Run(ctx, api, host.Options{
		Server:   &http.Server{Addr: "127.0.0.1:0", Handler: mux},
		Ready:    func(address net.Addr) { fmt.Fprintln(stdout, "ready", address) },
		Services: controller.Group{recorder.Run},
		// One replica completes deletions.
		Election: &election.Options{Name: "platform", Identity: identity},
		// Each replica publishes the sites of its shards.
		Sharded: p.run,
		Shards:  election.ShardOptions{Options: election.Options{Name: "publisher", Identity: identity}},
	})
}

// publisher announces the page of each site in its status. It keeps nothing in memory, so any replica can continue its
// work.
type publisher struct {
	sites  rest.Client[site.Site]
	events *events.Recorder
}

// run publishes the sites of a shard until ctx ends.
func (p *publisher) run(ctx context.Context, shard election.Shard) error {
	sites := controller.NewInformer(p.sites, controller.InformerOptions[site.Site]{ShardSelector: shard.Selector()})
	return controller.New(p.reconcile, controller.Options{}, controller.For(sites)).Run(ctx)
}

func (p *publisher) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	path, announced := "/pages/"+key.String(), false
	s, err := p.sites.Namespace(key.Namespace).ModifyStatus(ctx, key.Name, func(s *site.Site) error {
		announced = s.Status.Path != path
		s.Status.Path, s.Status.ObservedGeneration = path, s.Generation
		apimeta.SetCondition(&s.Status.Conditions,
			apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Published",
				Message: "The page shows the spec.", ObservedGeneration: s.Generation})
		return nil
	})
	if status.IsNotFound(err) {
		return controller.Result{}, nil
	}
	if err == nil && announced {
		p.events.Normal(s, "Published", "Publish", "The page is at %s", path)
	}
	return controller.Result{}, err
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html><head><title>{{.Title}}</title><meta name="color-scheme" content="{{.Theme}}"></head>
<body><h1>{{.Title}}</h1><pre>{{.Text}}</pre></body></html>
`))

// pages shows the page of a site. Every replica can do that, because it reads the site from the API.
func pages(sites rest.Client[site.Site]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, err := sites.Namespace(r.PathValue("namespace")).Get(r.Context(), r.PathValue("name"))
		switch {
		case status.IsNotFound(err):
			http.NotFound(w, r)
		case err != nil:
			http.Error(w, "the page cannot be read now", http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_ = page.Execute(w, s.Spec)
		}
	}
}
