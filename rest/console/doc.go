// Package console serves a web page that shows an API: its kinds, a live table for each, and each object with its
// conditions, owners, dependents and events, who set each field, and what each field means. People create, change and
// delete objects there. The API tries each change first, and the page shows what it would do.
//
// A host mounts it beside the API:
//
//	mux.Handle("/platform/", http.StripPrefix("/platform", api))
//	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))
//
// The handler serves static files only. The browser sends each request for data to the API at its public path, so the
// host's middleware, users and rights apply to the page as they do to kubectl. The page knows only what discovery,
// OpenAPI, Tables and watches tell, so it shows every kind, also one that arrives while the program runs, of every
// server of the Kubernetes API.
//
// The page is compiled from TypeScript in the directory ui. The compiled files are in static; users of this package
// need no Node.js. docs/console.md describes the page and how a host protects it.
package console
