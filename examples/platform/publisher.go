package main

import (
	"context"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/status"
)

// publisher publishes the page of each site, and records that in the status of the site.
type publisher struct {
	sites  rest.Client[site.Site]
	events *events.Recorder

	mu    sync.RWMutex
	pages map[controller.Key]string
}

func newPublisher(sites rest.Client[site.Site], recorder *events.Recorder) *publisher {
	return &publisher{sites: sites.FieldManager("publisher"), events: recorder, pages: map[controller.Key]string{}}
}

// run publishes until ctx ends.
func (p *publisher) run(ctx context.Context) error {
	sites := controller.NewInformer(p.sites, controller.InformerOptions[site.Site]{})
	return controller.New(p.reconcile, controller.Options{}, controller.For(sites)).Run(ctx)
}

// reconcile makes the page of one site match its spec, regardless of earlier events.
func (p *publisher) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	sites := p.sites.Namespace(key.Namespace)
	s, err := sites.Get(ctx, key.Name)
	if status.IsNotFound(err) {
		p.remove(key)
		return controller.Result{}, nil
	}
	if err != nil {
		return controller.Result{}, err
	}
	page, err := render(s)
	if err != nil {
		return controller.Result{}, err
	}
	if p.publish(key, page) {
		p.events.Normal(s, "Published", "Publish", "The page is at /pages/%s", key)
	}
	_, err = sites.ModifyStatus(ctx, key.Name, func(now *site.Site) error {
		now.Status.Path = "/pages/" + key.String()
		now.Status.ObservedGeneration = s.Generation
		apimeta.SetCondition(&now.Status.Conditions, apimeta.Condition{
			Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Published", Message: "The page shows the spec.",
			ObservedGeneration: s.Generation,
		})
		return nil
	})
	return controller.Result{}, err
}

// publish shows a page, and reports whether it showed another one before.
func (p *publisher) publish(key controller.Key, page string) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed = p.pages[key] != page
	p.pages[key] = page
	return changed
}

func (p *publisher) remove(key controller.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pages, key)
}

// ServeHTTP shows the page of a site.
func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.RLock()
	page, ok := p.pages[controller.Key{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}]
	p.mu.RUnlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(page))
}

func render(s *site.Site) (string, error) {
	layout, err := template.New("page").Parse(`<!doctype html>
<html><head><title>{{.Title}}</title><meta name="color-scheme" content="{{.Theme}}"></head>
<body><h1>{{.Title}}</h1><pre>{{.Text}}</pre></body></html>
`)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	err = layout.Execute(&page, s.Spec)
	return page.String(), err
}
