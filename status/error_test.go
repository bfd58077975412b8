package status_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

func widgets() apimeta.GroupResource {
	return apimeta.GroupResource{Group: "example.com", Resource: "widgets"}
}

func configMaps() apimeta.GroupResource { return apimeta.GroupResource{Resource: "configmaps"} }

// failure is how every failure begins on the wire.
const failure = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`

func TestConstructorsOnTheWire(t *testing.T) {
	tests := []struct {
		name string
		err  *status.Error
		want string
	}{
		{"bad request", status.BadRequest("no"), `"message":"no","reason":"BadRequest","code":400}`},
		{"unauthorized", status.Unauthorized(""), `"message":"Unauthorized","reason":"Unauthorized","code":401}`},
		{"unauthorized with text", status.Unauthorized("expired"), `"message":"expired","reason":"Unauthorized","code":401}`},
		{"forbidden object", status.Forbidden(widgets(), "a", "no"),
			`"message":"widgets.example.com \"a\" is forbidden: no","reason":"Forbidden","details":{"name":"a","group":"example.com","kind":"widgets"},"code":403}`},
		{"forbidden resource", status.Forbidden(configMaps(), "", "no"),
			`"message":"configmaps is forbidden: no","reason":"Forbidden","details":{"kind":"configmaps"},"code":403}`},
		{"forbidden path", status.Forbidden(apimeta.GroupResource{}, "", "no"),
			`"message":"forbidden: no","reason":"Forbidden","details":{},"code":403}`},
		{"not found", status.NotFound(configMaps(), "a"),
			`"message":"configmaps \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"configmaps"},"code":404}`},
		{"resource not found", status.ResourceNotFound(),
			`"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`},
		{"method not supported", status.MethodNotSupported(widgets(), "create"),
			`"message":"create is not supported on resources of kind \"widgets.example.com\"","reason":"MethodNotAllowed","details":{"group":"example.com","kind":"widgets"},"code":405}`},
		{"method not allowed", status.MethodNotAllowed(),
			`"message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}`},
		{"not acceptable", status.NotAcceptable([]string{"application/json", "application/yaml"}),
			`"message":"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406}`},
		{"already exists", status.AlreadyExists(widgets(), "a"),
			`"message":"widgets.example.com \"a\" already exists","reason":"AlreadyExists","details":{"name":"a","group":"example.com","kind":"widgets"},"code":409}`},
		{"generate name", status.GenerateNameConflict(configMaps(), "a-xyz12"),
			`"message":"configmaps \"a-xyz12\" already exists, the server was not able to generate a unique name for the object","reason":"AlreadyExists","details":{"name":"a-xyz12","kind":"configmaps","retryAfterSeconds":1},"code":409}`},
		{"conflict", status.Conflict(configMaps(), "a", "why"),
			`"message":"Operation cannot be fulfilled on configmaps \"a\": why","reason":"Conflict","details":{"name":"a","kind":"configmaps"},"code":409}`},
		{"modified", status.ModifiedConflict(widgets(), "a"),
			`"message":"Operation cannot be fulfilled on widgets.example.com \"a\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"a","group":"example.com","kind":"widgets"},"code":409}`},
		{"apply conflict", status.ApplyConflict("Apply failed with 1 conflict: conflict with \"m1\": .spec.steps",
			[]status.Cause{{Type: status.CauseFieldManagerConflict, Message: `conflict with "m1"`, Field: ".spec.steps"}}),
			`"message":"Apply failed with 1 conflict: conflict with \"m1\": .spec.steps","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"m1\"","field":".spec.steps"}]},"code":409}`},
		{"gone", status.Gone("left"), `"message":"left","reason":"Gone","code":410}`},
		{"expired", status.Expired("too old resource version: 3 (17)"),
			`"message":"too old resource version: 3 (17)","reason":"Expired","code":410}`},
		{"too large", status.RequestEntityTooLarge("limit is 3145728"),
			`"message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}`},
		{"media type", status.UnsupportedMediaType([]string{"application/json", "application/yaml"}),
			`"message":"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml","reason":"UnsupportedMediaType","code":415}`},
		{"unprocessable", status.Unprocessable(),
			`"message":"the server rejected our request due to an error in our request","reason":"Invalid","details":{},"code":422}`},
		{"too many requests", status.TooManyRequests("Too many requests: later", 2),
			`"message":"Too many requests: later","reason":"TooManyRequests","details":{"retryAfterSeconds":2},"code":429}`},
		{"internal", status.InternalError(errors.New("boom")),
			`"message":"Internal error occurred: boom","reason":"InternalError","details":{"causes":[{"message":"boom"}]},"code":500}`},
		{"server timeout", status.ServerTimeout(widgets(), "list", 2),
			`"message":"The list operation against widgets.example.com could not be completed at this time, please try again.","reason":"ServerTimeout","details":{"name":"list","group":"example.com","kind":"widgets","retryAfterSeconds":2},"code":500}`},
		{"unavailable", status.ServiceUnavailable("starting"),
			`"message":"starting","reason":"ServiceUnavailable","code":503}`},
		{"timeout", status.Timeout("request did not complete within the allotted timeout", 0),
			`"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}`},
		{"too large version", status.TooLargeResourceVersion(9999, 6),
			`"message":"Timeout: Too large resource version: 9999, current: 6","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`},
		{"no reason", status.Generic(http.StatusInternalServerError,
			"resourceVersion should not be set on objects to be created"),
			`"message":"resourceVersion should not be set on objects to be created","code":500}`},
		{"exit code", status.NonZeroExit(3),
			`"message":"command terminated with non-zero exit code: exit status 3","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}`},
		{"impossible exit code", status.NonZeroExit(-1),
			`"message":"command terminated with non-zero exit code: exit status 255","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"255"}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.err.Status)
			require.NoError(t, err)
			assert.Equal(t, failure+tt.want, string(got))
			assert.Equal(t, tt.err.Status.Message, tt.err.Error())
		})
	}
}

func TestExpiredContinueCarriesTheToken(t *testing.T) {
	e := status.ResourceExpiredContinue("abc")
	got, err := json.Marshal(e.Status)
	require.NoError(t, err)
	assert.Equal(t, `{"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc"},"status":"Failure","message":`+
		`"The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",`+
		`"reason":"Expired","code":410}`, string(got))
}

func TestDeletedIsASuccess(t *testing.T) {
	got, err := json.Marshal(status.Deleted(widgets(), "a", "u-1"))
	require.NoError(t, err)
	assert.Equal(t,
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","group":"example.com","kind":"widgets","uid":"u-1"}}`, string(got))
}

func TestStatusRoundTrip(t *testing.T) {
	want := status.TooLargeResourceVersion(2, 1).Status
	data, err := json.Marshal(want)
	require.NoError(t, err)
	var got status.Status
	require.NoError(t, json.Unmarshal(data, &got))
	assert.Equal(t, want, got)
}

func TestPredicatesKnowTheirErrors(t *testing.T) {
	gr := widgets()
	predicates := map[string]func(error) bool{
		"BadRequest":              status.IsBadRequest,
		"Unauthorized":            status.IsUnauthorized,
		"Forbidden":               status.IsForbidden,
		"NotFound":                status.IsNotFound,
		"MethodNotAllowed":        status.IsMethodNotAllowed,
		"NotAcceptable":           status.IsNotAcceptable,
		"AlreadyExists":           status.IsAlreadyExists,
		"Conflict":                status.IsConflict,
		"Gone":                    status.IsGone,
		"Expired":                 status.IsExpired,
		"RequestEntityTooLarge":   status.IsRequestEntityTooLarge,
		"UnsupportedMediaType":    status.IsUnsupportedMediaType,
		"Invalid":                 status.IsInvalid,
		"TooManyRequests":         status.IsTooManyRequests,
		"InternalError":           status.IsInternalError,
		"ServerTimeout":           status.IsServerTimeout,
		"StorageReadError":        status.IsStoreReadError,
		"ServiceUnavailable":      status.IsServiceUnavailable,
		"Timeout":                 status.IsTimeout,
		"TooLargeResourceVersion": status.IsTooLargeResourceVersion,
	}
	tests := []struct {
		err  error
		want []string
	}{
		{nil, nil},
		{errors.New("other"), nil},
		{status.BadRequest("x"), []string{"BadRequest"}},
		{status.Unauthorized("x"), []string{"Unauthorized"}},
		{status.Forbidden(gr, "a", "x"), []string{"Forbidden"}},
		{status.NotFound(gr, "a"), []string{"NotFound"}},
		{status.ResourceNotFound(), []string{"NotFound"}},
		{status.MethodNotSupported(gr, "create"), []string{"MethodNotAllowed"}},
		{status.MethodNotAllowed(), []string{"MethodNotAllowed"}},
		{status.NotAcceptable(nil), []string{"NotAcceptable"}},
		{status.AlreadyExists(gr, "a"), []string{"AlreadyExists"}},
		{status.GenerateNameConflict(gr, "a"), []string{"AlreadyExists"}},
		{status.Conflict(gr, "a", "x"), []string{"Conflict"}},
		{status.ModifiedConflict(gr, "a"), []string{"Conflict"}},
		{status.ApplyConflict("x", nil), []string{"Conflict"}},
		{status.Gone("x"), []string{"Gone"}},
		{status.Expired("x"), []string{"Expired"}},
		{status.ResourceExpiredContinue(""), []string{"Expired"}},
		{status.RequestEntityTooLarge("x"), []string{"RequestEntityTooLarge"}},
		{status.UnsupportedMediaType(nil), []string{"UnsupportedMediaType"}},
		{status.Invalid(apimeta.GroupKind{Kind: "K"}, "a", nil), []string{"Invalid"}},
		{status.Unprocessable(), []string{"Invalid"}},
		{status.TooManyRequests("x", 1), []string{"TooManyRequests"}},
		{status.InternalError(errors.New("x")), []string{"InternalError"}},
		{status.ServerTimeout(gr, "list", 1), []string{"ServerTimeout"}},
		{&status.Error{Status: status.Status{Reason: status.ReasonStoreReadError}}, []string{"StorageReadError"}},
		{status.ServiceUnavailable("x"), []string{"ServiceUnavailable"}},
		{status.Timeout("x", 0), []string{"Timeout"}},
		{status.TooLargeResourceVersion(2, 1), []string{"Timeout", "TooLargeResourceVersion"}},
		{status.Generic(404, "x"), []string{"NotFound"}},
		{status.Generic(409, "x"), []string{"Conflict"}},
		{status.Generic(410, "x"), []string{"Gone"}},
		{status.Generic(500, "x"), []string{"InternalError"}},
		{status.Generic(418, "x"), nil},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.err), func(t *testing.T) {
			var wrapped error
			if tt.err != nil {
				wrapped = fmt.Errorf("while testing: %w", tt.err)
			}
			var got, gotWrapped []string
			for name, is := range predicates {
				if is(tt.err) {
					got = append(got, name)
				}
				if is(wrapped) {
					gotWrapped = append(gotWrapped, name)
				}
			}
			assert.ElementsMatch(t, tt.want, got)
			assert.ElementsMatch(t, tt.want, gotWrapped)
		})
	}
}

func TestReasonAndCode(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		reason status.Reason
		code   int
	}{
		{"nil", nil, "", 200},
		{"ours", status.NotFound(widgets(), "a"), status.ReasonNotFound, 404},
		{"wrapped", fmt.Errorf("x: %w", status.Gone("y")), status.ReasonGone, 410},
		{"foreign", errors.New("x"), "", 500},
		{"deadline", context.DeadlineExceeded, "", 504},
		{"by hand, no code", &status.Error{Status: status.Status{Reason: status.ReasonForbidden}}, status.ReasonForbidden,
			403},
		{"by hand, code of a success", &status.Error{Status: status.Status{Code: 200}}, "", 500},
		{"by hand, impossible code", &status.Error{Status: status.Status{Code: 7}}, "", 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.reason, status.ReasonOf(tt.err))
			assert.Equal(t, tt.code, status.CodeOf(tt.err))
		})
	}
}

func TestFrom(t *testing.T) {
	t.Run("nil", func(t *testing.T) {
		assert.Nil(t, status.From(nil))
	})
	t.Run("ours passes unchanged", func(t *testing.T) {
		want := status.NotFound(widgets(), "a")
		assert.Same(t, want, status.From(want))
		assert.Same(t, want, status.From(fmt.Errorf("reading: %w", want)))
	})
	for _, cause := range []error{context.DeadlineExceeded, context.Canceled} {
		t.Run(cause.Error(), func(t *testing.T) {
			e := status.From(fmt.Errorf("store: %w", cause))
			assert.True(t, status.IsTimeout(e))
			assert.Equal(t, "Timeout: request did not complete within the allotted timeout", e.Error())
			assert.ErrorIs(t, e, cause)
		})
	}
	t.Run("anything else is not shown", func(t *testing.T) {
		secret := errors.New("password hunter2")
		e := status.From(secret)
		data, err := json.Marshal(e.Status)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "hunter2")
		assert.True(t, status.IsInternalError(e))
		assert.Equal(t, 500, status.CodeOf(e))
		assert.ErrorIs(t, e, secret, "the cause stays for the log")
	})
}

// The host may build an Error without the fields that the constructors set.
func TestFromCompletesWhatIsBuiltByHand(t *testing.T) {
	cause := errors.New("cause")
	e := status.From((&status.Error{Status: status.Status{Message: "busy",
		Reason: status.ReasonConflict}}).WithCause(cause))
	want := status.Generic(409, "busy")
	want.Status.Reason = status.ReasonConflict
	assert.Equal(t, want.Status, e.Status)
	assert.ErrorIs(t, e, cause)
	assert.Same(t, e, status.From(e))
}

func TestHasCause(t *testing.T) {
	err := fmt.Errorf("x: %w", status.ApplyConflict("y",
		[]status.Cause{{Message: "first"}, {Type: status.CauseFieldManagerConflict}}))
	assert.True(t, status.HasCause(err, status.CauseFieldManagerConflict))
	assert.False(t, status.HasCause(err, status.CauseNamespaceTerminating))
	assert.False(t, status.HasCause(status.BadRequest("no details"), status.CauseInvalid))
	assert.False(t, status.HasCause(errors.New("foreign"), status.CauseInvalid))
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("x: %w", status.NotFound(widgets(), "a"))
	assert.ErrorIs(t, err, status.NotFound(configMaps(), "b"), "same reason, other object")
	assert.NotErrorIs(t, err, status.Gone("a"))
	assert.NotErrorIs(t, err, errors.New("a"))
	assert.NotErrorIs(t, status.Generic(400, "a"), status.Generic(500, "a"), "no reason: the code tells")
}

func TestWithCauseLeavesTheOriginal(t *testing.T) {
	original := status.Gone("x")
	cause := errors.New("y")
	caused := original.WithCause(cause)
	assert.ErrorIs(t, caused, cause)
	assert.NotErrorIs(t, original, cause)
	assert.Equal(t, original.Status, caused.Status)
}
