package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/turns"
	"github.com/decorum-go/decorum/status"
)

const (
	// conversionTime limits a conversion, as upstream does, with the time that it waits for others.
	conversionTime = 30 * time.Second
	// maxConversions is how many conversions of a definition call its webhook at a time, and maxWaiting how many wait for
	// their turn.
	maxConversions, maxWaiting = 8, 56
)

var errNoCalls = errors.New("this server does not call webhooks")

// webhook converts the objects of one definition.
type webhook struct {
	calls   *callout.Client // nil: every conversion fails
	target  callout.Target
	version string // the version of ConversionReview; empty if the API and the webhook have none in common
	turns   *turns.Turns
}

func newWebhook(w *apiextensions.WebhookConversion, calls *callout.Client) *webhook {
	hook := &webhook{calls: calls, turns: turns.New(maxConversions, maxWaiting)}
	if i := slices.IndexFunc(w.ConversionReviewVersions,
		func(v string) bool { return v == "v1" || v == "v1beta1" }); i >= 0 {
		hook.version = w.ConversionReviewVersions[i]
	}
	if c := w.ClientConfig; c != nil {
		hook.target.CABundle = c.CABundle
		if c.URL != nil {
			hook.target.URL = *c.URL
		}
		if s := c.Service; s != nil {
			service := callout.Service{Namespace: s.Namespace, Name: s.Name}
			if s.Path != nil {
				service.Path = *s.Path
			}
			if s.Port != nil {
				service.Port = *s.Port
			}
			hook.target.Service = &service
		}
	}
	return hook
}

// The kind ConversionReview of apiextensions.k8s.io, in both of its versions.
type (
	conversionReview struct {
		apimeta.TypeMeta `json:",inline"`
		Request          *conversionRequest  `json:"request,omitempty"`
		Response         *conversionResponse `json:"response,omitempty"`
	}
	conversionRequest struct {
		UID               string            `json:"uid"`
		DesiredAPIVersion string            `json:"desiredAPIVersion"`
		Objects           []json.RawMessage `json:"objects"`
	}
	conversionResponse struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
	}
)

// convert sends objects to the webhook and returns those of its answer. See [rest.Schema].
func (w *webhook) convert(ctx context.Context, objects []json.RawMessage,
	apiVersion string) ([]json.RawMessage, error) {
	switch {
	case w.calls == nil:
		return nil, errNoCalls
	case w.version == "":
		return nil, errors.New("no supported conversion review versions")
	}
	ctx, cancel := context.WithTimeout(ctx, conversionTime)
	defer cancel()
	leave, err := w.turns.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	asked := conversionReview{
		TypeMeta: apimeta.TypeMeta{APIVersion: apiextensions.Group + "/" + w.version, Kind: "ConversionReview"},
		Request:  &conversionRequest{UID: objectmeta.RandomUID(), DesiredAPIVersion: apiVersion, Objects: objects},
	}
	target, size := w.target, int64(0)
	for _, object := range objects {
		size += int64(len(object))
	}
	target.MaxAnswer = max(minAnswer, 2*size)
	var answer conversionReview
	if err := w.calls.Post(ctx, target, asked, &answer); err != nil {
		return nil, err
	}
	return answer.accepted(asked)
}

// minAnswer is the limit for the answer about small objects. Large ones may become twice as large.
const minAnswer = 3 << 20

// accepted returns the objects of an answer. Like upstream, it checks the kind and the uid of the newer version only.
func (r *conversionReview) accepted(asked conversionReview) ([]json.RawMessage, error) {
	strict := asked.APIVersion == apiextensions.Group+"/v1"
	if strict && r.TypeMeta != asked.TypeMeta {
		return nil, withheld(fmt.Errorf("expected webhook response of %v, got %v", asked.GroupVersionKind(),
			r.GroupVersionKind()))
	}
	switch {
	case r.Response == nil:
		return nil, errors.New("no response provided")
	case strict && r.Response.UID != asked.Request.UID:
		return nil, withheld(fmt.Errorf("expected response.uid=%q, got %q", asked.Request.UID, r.Response.UID))
	case r.Response.Result.Status == status.Success:
		return r.Response.ConvertedObjects, nil
	case r.Response.Result.Message != "":
		return nil, withheld(errors.New(r.Response.Result.Message))
	}
	return nil, withheld(fmt.Errorf("response.result.status was '%s', not 'Success'", r.Response.Result.Status))
}

// withheld returns an error with words that the webhook has chosen, which may quote the objects.
func withheld(err error) error {
	return errorlog.Withhold(err, "a conversion webhook refused to convert, with a message that may quote the objects")
}
