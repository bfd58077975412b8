package tracing

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// The attributes for which OpenTelemetry has no convention.
const (
	auditIDKey     = attribute.Key("decorum.audit_id")
	verbKey        = attribute.Key("decorum.verb")
	groupKey       = attribute.Key("decorum.group")
	versionKey     = attribute.Key("decorum.version")
	resourceKey    = attribute.Key("decorum.resource")
	subresourceKey = attribute.Key("decorum.subresource")
	namespaceKey   = attribute.Key("decorum.namespace")
	nameKey        = attribute.Key("decorum.name")
	dryRunKey      = attribute.Key("decorum.dry_run")
	eventsKey      = attribute.Key("decorum.watch.events")
	abandonedKey   = attribute.Key("decorum.abandoned")
	operationKey   = attribute.Key("decorum.admission.operation")
	mutatingKey    = attribute.Key("decorum.admission.mutating")
	failedOpenKey  = attribute.Key("decorum.webhook.failed_open")
)

// Limits of texts, in bytes.
const (
	maxText  = 256
	maxPath  = 1024
	maxStack = 16 << 10
)

// clean returns a text that a client may have chosen as exporters need it: in UTF-8, because a single other byte makes
// them lose a whole batch, and short.
func clean(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = strings.Clone(text[:limit]) // a span must not keep the whole text in memory
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// partOf is clean for a text that may be a part of the URI of a request. A span must not keep a large URI in memory.
func partOf(r *observe.Request, text string, limit int) string {
	if text = clean(text, limit); len(r.HTTP.RequestURI) > maxPath {
		text = strings.Clone(text)
	}
	return text
}

// methods are those of HTTP that the conventions know.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodConnect,
	http.MethodOptions, http.MethodTrace, "QUERY",
}

// identifying returns the attributes that a sampler sees.
func identifying(r *observe.Request) []attribute.KeyValue {
	method, scheme := r.HTTP.Method, "http"
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	if r.HTTP.TLS != nil {
		scheme = "https"
	}
	return []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(method), semconv.URLPath(partOf(r, r.HTTP.URL.EscapedPath(), maxPath)),
		semconv.URLScheme(scheme),
	}
}

// nameOf returns the name of the span of a request: the method, and the route if there is one.
func nameOf(r *observe.Request) string {
	method := r.HTTP.Method
	if !slices.Contains(methods, method) {
		method = "HTTP"
	}
	var buffer [128]byte
	name := append(buffer[:0], method...)
	name = append(name, ' ')
	return strings.TrimSuffix(string(appendRoute(name, r)), " ")
}

// routeOf returns the path of a request without what clients choose, such as the names of objects. It is empty if the
// API serves nothing at the path.
func routeOf(r *observe.Request) string { return string(appendRoute(nil, r)) }

func appendRoute(to []byte, r *observe.Request) []byte {
	a := &r.Access
	switch {
	case r.Unknown:
		return to
	case a.Resource == "":
		return append(to, r.Declared...)
	case a.Group == "":
		to = append(to, "/api/"...)
	default:
		to = append(append(append(to, "/apis/"...), a.Group...), '/')
	}
	to = append(to, a.Version...)
	if a.Namespace != "" && a.Resource != "namespaces" {
		to = append(to, "/namespaces/{namespace}"...)
	}
	to = append(append(to, '/'), a.Resource...)
	if a.Name != "" && !isCollection(a.Verb) {
		to = append(to, "/{name}"...)
	}
	if a.Subresource != "" {
		to = append(append(to, '/'), a.Subresource...)
	}
	return to
}

// isCollection reports whether a verb is about a collection, although a selector may name one object of it.
func isCollection(v access.Verb) bool {
	return v == access.VerbList || v == access.VerbWatch || v == access.VerbDeleteCollection
}

// attributesOf returns the other attributes of a request that are known at its beginning.
func attributesOf(r *observe.Request) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 20)
	text := func(key attribute.Key, value string) {
		if value != "" {
			attrs = append(attrs, key.String(partOf(r, value, maxText)))
		}
	}
	if !slices.Contains(methods, r.HTTP.Method) {
		text(semconv.HTTPRequestMethodOriginalKey, r.HTTP.Method)
	}
	text(semconv.HTTPRouteKey, routeOf(r))
	host, port, err := net.SplitHostPort(r.HTTP.Host)
	if err != nil {
		host = r.HTTP.Host
	}
	text(semconv.ServerAddressKey, host)
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		attrs = append(attrs, semconv.ServerPort(int(n)))
	}
	text(semconv.NetworkProtocolVersionKey, protocolOf(r.HTTP))
	if ips := r.SourceIPs(); len(ips) > 0 {
		text(semconv.ClientAddressKey, ips[0])
		text(semconv.NetworkPeerAddressKey, ips[len(ips)-1])
	}
	text(semconv.UserAgentOriginalKey, r.HTTP.UserAgent())
	if !status.IsUnauthorized(r.Refused) {
		text(semconv.EnduserIDKey, r.Access.User.Name)
	}
	text(auditIDKey, r.AuditID)
	text(verbKey, string(r.Access.Verb))
	text(groupKey, r.Access.Group)
	text(versionKey, r.Access.Version)
	text(resourceKey, r.Access.Resource)
	text(subresourceKey, r.Access.Subresource)
	text(namespaceKey, r.Access.Namespace)
	text(nameKey, r.Access.Name)
	if r.DryRun {
		attrs = append(attrs, dryRunKey.Bool(true))
	}
	return attrs
}

// protocolOf returns the version of HTTP as the conventions write it.
func protocolOf(r *http.Request) string {
	if r.ProtoMajor >= 2 {
		return strconv.Itoa(r.ProtoMajor)
	}
	return strconv.Itoa(r.ProtoMajor) + "." + strconv.Itoa(r.ProtoMinor)
}
