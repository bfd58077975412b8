package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
)

// note is the kind whose clients are measured.
type note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// serve serves notes and definitions until in ends. It writes the URL to out.
func serve(in io.Reader, out io.Writer) error {
	ctx := context.Background()
	api, err := rest.New(rest.Options{}, rest.Resource[note]{Group: "example.com", Version: "v1", Plural: "notes", Scope: rest.Cluster, Names: rest.Names{Kind: "Note"}})
	if err != nil {
		return err
	}
	disable, err := crd.Enable(ctx, api, crd.Options{Rules: cel.New(nil)})
	if err != nil {
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
	disable()
	return errors.Join(err, api.Close())
}
