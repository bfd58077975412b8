package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/webhook"
)

// note is the kind whose clients are measured.
type note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// memo is the kind with hostile webhooks.
type memo note

// serve serves notes, memos, definitions and webhooks until in ends. It writes the URL to out.
func serve(in io.Reader, out io.Writer) error {
	ctx := context.Background()
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	if err != nil {
		return err
	}
	defer calls.Close()
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	if err != nil {
		return err
	}
	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Logger: slog.New(slog.DiscardHandler),
		Plugins: []rest.Plugin{hooks, crd.New(crd.Options{})}},
		rest.Resource[note]{Group: "example.com", Version: "v1", Plural: "notes", Scope: rest.ScopeCluster,
			Names: rest.Names{Kind: "Note"}},
		rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.ScopeCluster,
			Names: rest.Names{Kind: "Memo"}})
	if err != nil {
		return err
	}
	if err := api.Start(ctx); err != nil {
		return errors.Join(err, api.Close())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, api.Close())
	}
	server := &http.Server{Handler: api}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	_, err = io.Copy(io.Discard, in)
	err = errors.Join(err, server.Close())
	<-ended
	return errors.Join(err, api.Close())
}
