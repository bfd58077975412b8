// Package console drives the page of rest/console in a headless Chromium, against real APIs: the examples, an API with
// ten thousand objects, an API whose every string is hostile, and kubeapi behind a proxy.
package console
