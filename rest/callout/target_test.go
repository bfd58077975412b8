package callout_test

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/callout"
)

// The endpoint of a target has a clean path, and neither user, query nor fragment.
func TestEndpoint(t *testing.T) {
	for _, c := range []struct {
		url, endpoint, err string
		service            *callout.Service
	}{
		{url: "https://hooks.example.com", endpoint: "https://hooks.example.com/"},
		{url: "https://hooks.example.com:8443/convert", endpoint: "https://hooks.example.com:8443/convert"},
		{url: "https://127.0.0.1:9443//convert", endpoint: "https://127.0.0.1:9443/convert"},
		{url: "https://h/a/", endpoint: "https://h/a"},
		{url: "https://h/a/../../b//c/.", endpoint: "https://h/b/c"},
		{url: "https://h/%2e%2e/a%20b", endpoint: "https://h/a%20b"},
		{url: "https://[::1]:1/x", endpoint: "https://[::1]:1/x"},
		{url: "HTTPS://h", endpoint: "https://h/"},
		{url: "http://h", err: "'https' is the only allowed URL scheme"},
		{url: "h/convert", err: "'https' is the only allowed URL scheme"},
		{url: "https:///convert", err: "host must be specified"},
		{url: "https://:443/convert", err: "host must be specified"},
		{url: "https://user:secret@h/", err: "user information is not permitted in the URL"},
		{url: "https://h/?a=b", err: "query parameters are not permitted in the URL"},
		{url: "https://h/#a", err: "fragments are not permitted in the URL"},
		{url: "https://h:port/", err: "url must be a valid URL"},
		{err: "a webhook must have either service or URL"},
		{url: "https://h", service: &callout.Service{Name: "a", Namespace: "b"},
			err: "a webhook must have either service or URL"},
		{service: &callout.Service{Name: "check", Namespace: "ops"}, endpoint: "https://check.ops.svc:443/"},
		{service: &callout.Service{Name: "check", Namespace: "ops", Path: "//a/", Port: 8443},
			endpoint: "https://check.ops.svc:8443/a"},
		{service: &callout.Service{Name: "check"}, err: "a service must have a name and a namespace"},
		{service: &callout.Service{Name: "check", Namespace: "ops", Port: 70000}, err: "invalid port 70000 of a service"},
	} {
		u, err := callout.Target{URL: c.url, Service: c.service}.Endpoint()
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, "%+v", c)
			continue
		}
		if assert.NoError(t, err, "%+v", c) {
			assert.Equal(t, c.endpoint, u.String())
		}
	}
}

// Every endpoint is an https URL of the same host with a clean path.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"https://h//convert", "https://h/a/../b", "https://h/%2f%2e%2e/",
		"https://[fe80::1%25eth0]:1/",
		"https://u@h/?q#f", "https://h:/", "https://%41/", "https://h\\@g/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		endpoint, err := callout.Target{URL: text}.Endpoint()
		if err != nil {
			return
		}
		assert.Equal(t, "https", endpoint.Scheme)
		assert.Nil(t, endpoint.User)
		assert.Empty(t, endpoint.RawQuery+endpoint.Fragment)
		assert.True(t, strings.HasPrefix(endpoint.Path, "/"))
		assert.Equal(t, path.Clean(endpoint.Path), endpoint.Path)
		given, err := url.Parse(text)
		assert.NoError(t, err)
		again, err := url.Parse(endpoint.String())
		if assert.NoError(t, err, endpoint.String()) {
			assert.Equal(t, given.Host, again.Host)
			assert.Equal(t, endpoint.Path, again.Path)
		}
	})
}
