package rest

import "net/http"

// ServeInside serves a request that the handler of a plug-in's path (see [PluginParts].Paths) makes on behalf of its
// client, such as one for each object of a transaction. The API authorizes, admits and observes it like any other
// request. But it has the user of the handler's request and no credentials of its own, and it shares the place of the
// handler's request. The context of r must come from that request. The API uses the headers and the body of r.
func (a PluginAPI) ServeInside(w http.ResponseWriter, r *http.Request) { a.front.ServeInside(w, r) }
