package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest"
)

// request is one row of the table. NAME in its target and body is the name of the object, VERSION its resourceVersion.
type request struct {
	name                        string
	method, target, media, body string
	creates                     bool                                                              // the object does not exist before
	call                        func(ctx context.Context, c rest.Client[Widget], w *Widget) error // instead of an HTTP request
}

const (
	typeJSON      = "application/json"
	typeJSONPatch = "application/json-patch+json"
	typeMerge     = "application/merge-patch+json"
	typeStrategic = "application/strategic-merge-patch+json"
	typeApply     = "application/apply-patch+yaml"

	metadata  = `"metadata":{"name":"NAME"}`
	versioned = `"metadata":{"name":"NAME","resourceVersion":"VERSION"}`
	widget    = `"apiVersion":"example.com/v1","kind":"Widget"`
	scale     = `"apiVersion":"autoscaling/v1","kind":"Scale"`
	asJourney = "?fieldManager=journey&force=true"
)

var requests = []request{
	{name: "GET", method: "GET", target: widgets + "/NAME"},
	{name: "LIST", method: "GET", target: widgets},
	{name: "WATCH", method: "GET", target: widgets + "?watch=1&resourceVersion=1"},
	{name: "POST", method: "POST", target: widgets, creates: true, media: typeJSON,
		body: `{` + widget + `,` + metadata + `,"spec":{"size":2}}`},
	{name: "PUT", method: "PUT", target: widgets + "/NAME", media: typeJSON,
		body: `{` + widget + `,` + versioned + `,"spec":{"size":2}}`},
	{name: "PUT that creates", method: "PUT", target: widgets + "/NAME", creates: true, media: typeJSON,
		body: `{` + widget + `,` + metadata + `,"spec":{"size":2}}`},
	{name: "JSON patch", method: "PATCH", target: widgets + "/NAME", media: typeJSONPatch,
		body: `[{"op":"replace","path":"/spec/size","value":2}]`},
	{name: "merge patch", method: "PATCH", target: widgets + "/NAME", media: typeMerge,
		body: `{"spec":{"size":2}}`},
	{name: "strategic merge patch (built-in dialect)", method: "PATCH", target: gadgets + "/NAME", media: typeStrategic,
		body: `{"spec":{"size":2}}`},
	{name: "apply that updates", method: "PATCH", target: widgets + "/NAME" + asJourney, media: typeApply,
		body: `{` + widget + `,` + metadata + `,"spec":{"replicas":2}}`},
	{name: "apply that creates", method: "PATCH", target: widgets + "/NAME" + asJourney, creates: true, media: typeApply,
		body: `{` + widget + `,` + metadata + `,"spec":{"size":2}}`},
	{name: "PUT of `/status`", method: "PUT", target: widgets + "/NAME/status", media: typeJSON,
		body: `{` + widget + `,` + versioned + `,"spec":{"size":1},"status":{"replicas":2}}`},
	{name: "PUT of `/scale`", method: "PUT", target: widgets + "/NAME/scale", media: typeJSON,
		body: `{` + scale + `,` + versioned + `,"spec":{"replicas":2}}`},
	{name: "apply of `/scale`", method: "PATCH", target: widgets + "/NAME/scale" + asJourney, media: typeApply,
		body: `{` + scale + `,` + metadata + `,"spec":{"replicas":2}}`},
	{name: "DELETE", method: "DELETE", target: widgets + "/NAME"},
	{name: "`Client.Get`", call: func(ctx context.Context, c rest.Client[Widget], w *Widget) error {
		_, err := c.Get(ctx, w.Name)
		return err
	}},
	{name: "`Client.Update`", call: func(ctx context.Context, c rest.Client[Widget], w *Widget) error {
		w.Spec.Size = 2
		_, err := c.Update(ctx, w)
		return err
	}},
}

// prepare makes the object that the request needs, and returns what sends the request.
func (r request) prepare(h *host, name string) (send func() error, err error) {
	ctx := context.Background()
	widgetClient, err := rest.ClientForType[Widget](h.api)
	if err != nil {
		return nil, err
	}
	gadgetClient, err := rest.ClientForType[Gadget](h.api)
	if err != nil {
		return nil, err
	}
	widgetClient = widgetClient.Namespace("default")
	w, version := &Widget{}, ""
	w.Name, w.Spec.Size = name, 1
	switch {
	case r.creates:
	case strings.HasPrefix(r.target, gadgets):
		_, err = gadgetClient.Namespace("default").Create(ctx, (*Gadget)(w))
	default:
		if w, err = widgetClient.Create(ctx, w); err == nil {
			version = w.ResourceVersion
		}
	}
	if err != nil {
		return nil, err
	}
	if r.call != nil {
		return func() error { return r.call(ctx, widgetClient, w) }, nil
	}

	fill := strings.NewReplacer("NAME", name, "VERSION", version).Replace
	ctx, leave := context.WithCancel(ctx)
	request := httptest.NewRequestWithContext(ctx, r.method, fill(r.target), strings.NewReader(fill(r.body)))
	request.Header.Set("Content-Type", r.media)
	answer := &client{ResponseRecorder: httptest.NewRecorder()}
	if request.URL.Query().Get("watch") != "" {
		answer.read = leave
	}
	return func() error {
		defer leave()
		h.api.ServeHTTP(answer, request)
		if answer.Code >= http.StatusMultipleChoices {
			return fmt.Errorf("answered %d: %s", answer.Code, answer.Body)
		}
		return nil
	}, nil
}

// client calls read when it has read something of an answer; to hang up is how a watch ends.
type client struct {
	*httptest.ResponseRecorder
	read func()
}

func (c *client) Write(p []byte) (int, error) {
	if c.read != nil {
		defer c.read()
	}
	return c.ResponseRecorder.Write(p)
}

// SetWriteDeadline is what a stream asks of a ResponseWriter. Nothing here is slow.
func (c *client) SetWriteDeadline(time.Time) error { return nil }
