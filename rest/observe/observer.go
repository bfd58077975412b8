package observe

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest/access"
)

// Observer observes the requests of an API, for logs, metrics, traces and audits. A plug-in supplies it in its
// rest.PluginParts. An API without an Observer does no work for it. Packages rest/audit and rest/requestlog, and
// modules rest/metrics and rest/tracing, are built on it.
//
// An Observer sees the requests that the API receives over HTTP, including health checks and failed requests. It does
// not see the calls of in-process clients. But if a hook calls the API with its context, the steps and the changes of
// that call belong to the request that runs the hook.
type Observer interface {
	// Observe begins to observe a request. The API calls it once for each request, when the user and the access are known
	// and the Authorizer has decided, and before the request acts. For a request that fails earlier, r.Refused is the
	// error. A request that the API answers before it knows the user, such as the preflight of a browser, is observed at
	// its end.
	//
	// The request goes on with the returned context, which hooks and webhooks receive. A nil context changes nothing. The
	// API calls the functions of the Observation while the request runs.
	//
	// If Observe returns an error, the request is refused and does nothing: with this error if it is one of package
	// status, and otherwise with a 500 whose text only the log gets. Other observers still observe the request.
	Observe(ctx context.Context, r *Request) (context.Context, Observation, error)
}

// Request is a request that an [Observer] begins to observe. Later versions of this package may add fields. An
// Observer may keep it, but must not change it.
type Request struct {
	// Received is when the API received the request.
	Received time.Time
	// HTTP is the request as the API received it. Its headers may contain credentials. An Observer must not read its body.
	HTTP *http.Request
	// AuditID names the request in its answer, in the header Audit-ID, and in the log.
	AuditID string
	// Access is the user and what the request does. It is read from the URL, so it has no name in a create.
	Access access.Access
	// Sender is the user who sent the request, if the sender impersonates Access.User. Otherwise it is nil.
	Sender *access.User
	// Unknown says that the API serves nothing at the path, so that a client may have chosen any name in it.
	Unknown bool
	// Declared is the path as the API or a plug-in serves it, if the request is outside of all resources: /version, for
	// example. A path of a plug-in that ends with a slash represents all paths below it. Declared is empty if Unknown
	// is set, so clients cannot choose it.
	Declared string
	// LongRunning says that the request is a watch or a stream, which ends when its client or the API ends it.
	LongRunning bool
	// Deprecated says that the version in the path is deprecated.
	Deprecated bool
	// DryRun says that the query asks for a write that is not stored.
	DryRun bool
	// Authorized says that the Authorizer was asked. Decision is its decision.
	Authorized bool
	Decision   access.Decision
	// Refused is the error that keeps the request from acting, such as 401, 403, 405 or 429. It is nil for a request that
	// acts.
	Refused error
}

// SourceIPs returns the addresses of the client and of the proxies between it and the API, the client first. They come
// from the header X-Forwarded-For, else from X-Real-Ip, and then from the connection. A client can forge the headers,
// so only the last address is certain.
func (r *Request) SourceIPs() []string {
	ips := make([]string, 0, 1)
	add := func(text string) {
		if ip := canonicalIP(text); ip != "" {
			ips = append(ips, ip)
		}
	}
	h := r.HTTP.Header
	for _, list := range h["X-Forwarded-For"] {
		for text := range strings.SplitSeq(list, ",") {
			add(strings.Clone(strings.TrimSpace(text))) // whoever keeps an address must not keep the list
		}
	}
	if real := h["X-Real-Ip"]; len(ips) == 0 && len(real) > 0 {
		add(strings.TrimSpace(real[0]))
	}
	host, _, err := net.SplitHostPort(r.HTTP.RemoteAddr)
	if err != nil {
		host = r.HTTP.RemoteAddr
	}
	if ip := canonicalIP(host); ip != "" && (len(ips) == 0 || ips[len(ips)-1] != ip) {
		ips = append(ips, ip)
	}
	return ips
}

// canonicalIP returns an address in the form in which all write it, or "" for other texts.
func canonicalIP(text string) string {
	ip, err := netip.ParseAddr(text)
	switch {
	case err != nil || ip.Zone() != "":
		return ""
	case ip.Is4():
		return text // has only one form
	}
	return ip.Unmap().String()
}

// Observation is what an [Observer] wants to know of one request. All fields are optional. Later versions of this
// package may add fields.
//
// The API calls the functions one at a time, perhaps from several goroutines, and none of them after Ended. They must
// return soon, because the request waits for them, and they must not call the API.
type Observation struct {
	// Bodies asks for the objects of the request and of the answer, which Ended receives. They cost memory until then.
	Bodies bool
	// MaxAnswer is the size, in bytes, up to which Bodies asks for the object or the list in the answer. Zero is no limit,
	// and a negative number asks for no answer. Ended may receive a larger one if another Observer asks for it.
	MaxAnswer int64
	// Times asks for the times of the steps of kind [StepPipeline], which [Ended.Steps] returns. They cost much
	// less than calls of Step.
	Times bool
	// Brief says that Step is not called for steps of kind [StepPipeline]. A write has about 20.
	Brief bool
	// Started is called when the answer begins, with its code. For a watch, this is before the first event.
	Started func(code int)
	// Step is called when a step of the request begins. It returns the context for what happens within the step, and a
	// function that the API calls when the step has ended. Both may be nil.
	Step func(ctx context.Context, s Step) (context.Context, func(StepResult))
	// Changed is called after the store has committed a change of an object, and not for dry runs. A deletion of a
	// collection changes many objects.
	Changed func(ObjectChange)
	// Sent is called when a watch sends an event, with its size in bytes, and before its bytes may have left the buffer of
	// the watch. A bookmark is an event.
	Sent func(bytes int)
	// Listed is called when a watch has sent the objects that existed when it began, if its client asked for them. This is
	// after their events, and the bookmark behind them.
	Listed func()
	// Ended is called once, at the end of the request.
	Ended func(Ended)
}
